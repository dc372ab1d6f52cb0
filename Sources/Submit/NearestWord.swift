extension String {
    /// The word that is most like this one; `nil` where there are none.
    public func nearest(among words: some Sequence<String>) -> String? {
        words.map { (word: $0, distance: Self.distance($0, self)) }.min { $0.distance < $1.distance }?.word
    }

    /// How many letters have to be put in, taken out or changed to make one word the other.
    private static func distance(_ a: some StringProtocol, _ b: some StringProtocol) -> Int {
        let b = Array(b)
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let changed = diagonal + (letter == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}

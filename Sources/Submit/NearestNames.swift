/// The names someone may have meant.
public enum NearestNames {
    /// The nearest of `names`, best first, at most three; none that is too far away.
    public static func nearest(to name: String, among names: [String]) -> [String] {
        let wanted = Array(name.lowercased())
        let limit = max(1, min(3, wanted.count / 2))
        let near = names.compactMap { candidate -> (name: String, distance: Int)? in
            let letters = Array(candidate.lowercased())
            let distance = wanted.count > 1 && letters.starts(with: wanted) ? 1 : distance(wanted, letters)
            // Where no letter is left, anything is as near.
            return distance <= limit && distance < letters.count ? (candidate, distance) : nil
        }
        return near.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
    }

    /// ` (did you mean “a” or “b”?)`, or nothing.
    public static func hint(for name: String, among names: [String]) -> String {
        let near = nearest(to: name, among: names).map { "“\($0)”" }
        return near.isEmpty ? "" : " (did you mean \(near.joined(separator: " or "))?)"
    }

    /// How many letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var rows = [[Int]](repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        for i in stride(from: 1, through: a.count, by: 1) {
            for j in stride(from: 1, through: b.count, by: 1) {
                let replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
                }
            }
        }
        return rows[a.count][b.count]
    }
}

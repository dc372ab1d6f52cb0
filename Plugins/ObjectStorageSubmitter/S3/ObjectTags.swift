internal import SubmitHTTP

/// Tags of an object: of an item's, those that S3 takes ("Categorizing your objects using tags" in the Amazon S3 user
/// guide), as names without values.
struct ObjectTags: Sendable, Hashable {
    /// As the header has them.
    let query: String
    /// Not all fit.
    let leavesOut: Bool

    static let most = 10
    /// Characters.
    static let longest = 128

    init(_ tags: [String]) {
        var taken: [String] = []
        for tag in tags where Self.isTaken(tag) && !taken.contains(tag) { taken.append(tag) }
        query = taken.prefix(Self.most).map { PercentEncoding.encode($0) + "=" }.joined(separator: "&")
        leavesOut = taken.count > Self.most || !tags.allSatisfy(Self.isTaken)
    }

    /// Letters, digits, blanks and a few signs; names of Amazon's own begin with `aws:`.
    private static func isTaken(_ tag: String) -> Bool {
        !tag.isEmpty && tag.unicodeScalars.count <= longest && !tag.lowercased().hasPrefix("aws:")
            && tag.allSatisfy { $0.isLetter || $0.isNumber || " +-=._:/@".contains($0) }
    }
}

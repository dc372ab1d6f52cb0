internal import Submit

/// The name under which an item lies beside its place until it is whole and proven.
enum TemporaryName {
    /// What all names of what is not finished begin with, where a server takes names with a dot before them.
    static let mark = ".submit-"
    /// The same where it does not: long, since nobody's own photo may begin so.
    static let plainMark = "submit-unfinished-"

    /// The same for every attempt of a submission, and no other's.
    static func of(_ submission: String, on profile: ServerProfile) -> String {
        mark(on: profile) + submission
    }

    static func mark(on profile: ServerProfile) -> String { profile.takesHidden ? mark : plainMark }

    /// Whether it was left by an upload, and may be removed.
    static func isOne(_ name: String) -> Bool {
        name.hasPrefix(mark) || name.hasPrefix(plainMark)
    }
}

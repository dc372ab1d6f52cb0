internal import Submit

/// The name under which an item lies beside its place until it is whole and proven.
enum TemporaryName {
    /// What all names of what is not finished begin with, where a server takes names with a dot before them.
    static let mark = ".submit-"

    /// The same for every attempt of a submission, and no other's.
    static func of(_ submission: String, on profile: ServerProfile) -> String {
        (profile.takesHidden ? mark : String(mark.dropFirst())) + submission
    }

    /// What it becomes of is unfinished.
    static func isOne(_ name: String) -> Bool {
        name.hasPrefix(mark) || name.hasPrefix(mark.dropFirst())
    }
}

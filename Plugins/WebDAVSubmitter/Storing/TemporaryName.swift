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
    ///
    /// What submitters of other kinds call so is none: a folder that is synchronised to here may hold their marks, their
    /// unfinished copies and sources on their way into the trash.
    static func isOne(_ name: String) -> Bool {
        guard name.hasPrefix(mark) || name.hasPrefix(plainMark) else { return false }
        return name != ".submit-folder" && !name.hasPrefix(".submit-removed-") && !name.hasSuffix(".part")
            && !name.hasSuffix(".try")
    }
}

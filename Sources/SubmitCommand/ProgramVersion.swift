internal import CLinux

/// The version of the program.
enum ProgramVersion {
    static let number = "0.1.0"

    /// With the commit, if the build named it.
    static let text = [number, String(cString: submit_commit())].filter { !$0.isEmpty }.joined(separator: " ")
}

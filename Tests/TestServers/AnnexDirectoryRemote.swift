/// A special remote of git-annex that stores in a directory and supports exports, written by others.
public enum AnnexDirectoryRemote {
    private static let fetched = Task {
        try await ChildProcess.output(of: [ServerScript.path("annex-directory.sh")], within: 300)
            .split(whereSeparator: \.isNewline).joined()
    }

    /// The program. The first call may have to fetch it.
    public static func program() async throws -> String { try await fetched.value }
}

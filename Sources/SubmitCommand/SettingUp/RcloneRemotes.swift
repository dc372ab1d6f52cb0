internal import SubmitPrograms

/// The remotes that rclone knows (`rclone listremotes`).
enum RcloneRemotes {
    /// - Returns: names that end with a colon; none where there is no rclone.
    static func all() async -> [String] {
        let call = ProgramCall(
            "rclone", ["listremotes"], environment: [:], inheritsEnvironment: true, life: .seconds(10))
        guard let result = try? await call.run(), result.status == .exited(0) else { return [] }
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

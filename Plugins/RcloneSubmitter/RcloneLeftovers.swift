internal import Submit

/// Temporary copies that broken submissions left, known by their names.
struct RcloneLeftovers: LeftoverFacet {
    let remote: RcloneRemote

    /// What a submission's temporary copy is called.
    static func name(of submission: String) -> String { ".submit-\(submission).part" }

    static func isOne(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return name.hasPrefix(".submit-") && name.hasSuffix(".part")
            && !path.split(separator: "/", omittingEmptySubsequences: false).contains { ["", ".", ".."].contains($0) }
    }

    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        let spared = Set(checkpoints.map { String(decoding: $0.data, as: UTF8.self) })
        let files = try await remote.list(["--files-only", "--no-modtime", "--include", ".submit-*.part"])
        let leftovers = files.filter { Self.isOne($0.Path) && !spared.contains($0.Path) }.map { file in
            // rclone gives a copy its source's date: when it came nobody there knows.
            Leftover(id: file.Path, name: file.Path, bytes: file.Size)
        }
        return leftovers.sorted { $0.id < $1.id }
    }

    func remove(_ leftover: Leftover) async throws(SubmitFailure) {
        guard Self.isOne(leftover.id) else {
            throw SubmitFailure(.giveUp, code: "leftover", message: "“\(leftover.id)” is none of our temporary copies.")
        }
        try await remote.remove(leftover.id)
    }
}

internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitPrograms
internal import SubmitTransfer

/// A place on an rclone remote, and what can be done there. Paths are below it, with `/` between their parts.
final class RcloneRemote: Sendable {
    /// As it was configured: `gdrive:photos`, `/srv/photos`.
    let root: String
    let rclone: Rclone
    private let found = Locked<RcloneTraits?>(nil)

    init(root: String, rclone: Rclone) {
        self.root = root
        self.rclone = rclone
    }

    /// How rclone is told of a path.
    func place(_ path: String) -> String {
        if path.isEmpty { return root }
        return root.hasSuffix(":") || root.hasSuffix("/") ? root + path : "\(root)/\(path)"
    }

    /// What kind of remote it is; rclone is asked once.
    func traits() async throws(SubmitFailure) -> RcloneTraits {
        if let traits = found.withLock({ $0 }) { return traits }
        let end = try await rclone.succeed("The kind of remote was not found out", ["backend", "features", "--", root])
        guard let traits = RcloneTraits(end.output) else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "rclone-version",
                message:
                    "“\(rclone.program)” does not say what kind of remote \(rclone.destination) is; rclone 1.60 or later does."
            )
        }
        found.withLock { $0 = traits }
        return traits
    }

    // MARK: - Looking

    /// A file as the remote tells of it.
    struct File: Decodable {
        var Path: String
        var Size: Int64
        var Hashes: [String: String]?

        /// What the remote says of the file's bytes.
        var findings: CopyFindings {
            var findings = CopyFindings(size: Size)
            for (name, text) in Hashes ?? [:] where !text.isEmpty {
                guard let algorithm = DigestAlgorithm(rawValue: name) else { continue }
                findings.computed[algorithm] = Hexadecimal.bytes(of: text)
            }
            return findings
        }
    }

    /// What is at a path; `nil` where no file is.
    func file(_ path: String, digest: DigestAlgorithm? = nil) async throws(SubmitFailure) -> File? {
        let hash = digest.map { ["--hash", "--hash-type", $0.rawValue] } ?? []
        let end = try await rclone.run(
            ["lsjson", "--stat", "--files-only", "--no-modtime", "--no-mimetype"] + hash + ["--", place(path)],
            // Where a digest takes reading the whole copy.
            life: digest == nil ? .seconds(240) : nil)
        if [.exited(3), .exited(4)].contains(end.status) { return nil }
        guard end.status == .exited(0) else {
            throw rclone.failure("“\(path)” could not be looked at", end, about: [place(path)])
        }
        do {
            return try JSONDecoder().decode(File?.self, from: Data(end.output))
        } catch {
            throw unreadable()
        }
    }

    /// All files or folders below, at any depth; none where there is no such place.
    func list(_ arguments: [String]) async throws(SubmitFailure) -> [File] {
        let end = try await rclone.run(
            ["lsjson", "--recursive", "--no-mimetype"] + arguments + ["--", root], longestOutput: 64 << 20, life: nil)
        if end.status == .exited(3) { return [] }
        guard end.status == .exited(0), !end.isCut else {
            throw rclone.failure("The files could not be listed", end, about: [root])
        }
        do {
            return try JSONDecoder().decode([File].self, from: Data(end.output))
        } catch {
            throw unreadable()
        }
    }

    private func unreadable() -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "rclone",
            message:
                "“\(rclone.program)” answered for \(rclone.destination) with what is no JSON; see which rclone it is.")
    }

    /// Reads a copy that has as many bytes as the item.
    func readBack(_ path: String, _ item: MediaItem) async throws(SubmitFailure) -> CopyVerdict {
        let read = Locked((pass: DigestPass([.sha256]), count: Int64(0)))
        // Without listing its folder, in which some servers leave out what is hidden.
        let end = try await rclone.succeed(
            "“\(path)” could not be read back", ["cat", "--no-traverse", "--", place(path)], life: nil
        ) { bytes in
            read.withLock { read in
                read.pass.update(bytes)
                read.count += Int64(bytes.count)
            }
        }
        let digests = try read.withLock { read throws(SubmitFailure) in
            guard read.count == item.size else {
                throw rclone.failure("Of “\(path)” only \(read.count) bytes came back", end, about: [place(path)])
            }
            return read.pass.finalize()
        }
        return CopyVerdict(readBack: digests[.sha256] ?? [], of: item)
    }

    // MARK: - Changing

    /// Stores an item's bytes, replacing what is there.
    func store(
        _ bytes: any MediaBytes, at path: String, sent: @escaping @Sendable (Int64) -> Void
    ) async throws(SubmitFailure) {
        let end = try await rclone.succeed(
            "“\(path)” could not be stored", ["rcat", "--size", String(bytes.size), "--", place(path)], feeding: bytes,
            sent: sent, life: nil)
        guard end.readAll else {
            throw rclone.failure("“\(path)” was not taken to its end", end, about: [place(path)])
        }
    }

    /// Gives a file another name. Unless told to replace, it leaves both where the name is taken, and says nothing of it.
    func move(_ path: String, to other: String, replacing: Bool) async throws(SubmitFailure) {
        let sparing = replacing ? ["--ignore-times"] : ["--ignore-existing"]
        try await rclone.succeed(
            "“\(other)” could not get its name", ["moveto"] + sparing + ["--", place(path), place(other)], life: nil)
    }

    /// Removes a file; does nothing where there is none.
    func remove(_ path: String) async throws(SubmitFailure) {
        let end = try await rclone.run(["deletefile", "--", place(path)])
        if end.status == .exited(0) { return }
        // Its status does not tell absence from refusal.
        guard try await file(path) != nil else { return }
        throw rclone.failure("“\(path)” could not be removed", end, about: [place(path)])
    }

    func makeFolder(_ path: String) async throws(SubmitFailure) {
        try await rclone.succeed("The album “\(path)” could not be made", ["mkdir", "--", place(path)])
    }

    /// Removes an empty folder; leaves one that holds anything.
    func removeFolder(_ path: String) async throws(SubmitFailure) {
        let end = try await rclone.run(["rmdir", "--", place(path)])
        if end.status == .exited(0) { return }
        let listing = try await rclone.run(["lsf", "--", place(path)])
        if listing.status == .exited(3) || (listing.status == .exited(0) && !listing.output.isEmpty) { return }
        throw rclone.failure("The album “\(path)” could not be removed", end, about: [place(path)])
    }
}

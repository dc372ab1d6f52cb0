internal import Submit
internal import SubmitPrograms
internal import SubmitTransfer

/// Puts media items on any remote of rclone's.
///
/// An item is sent to a name that begins with `.submit-` beside its place, proven there by the digest the remote tells, and
/// moved to its place. rclone cannot refuse to replace in one step: it looks and then moves, some milliseconds apart.
/// Submissions of one process take turns where they want the same name; other writers are not held off.
struct RcloneSubmitter: Submitter {
    let capabilities: Capabilities
    let facets: Facets

    private let remote: RcloneRemote
    private let template: PathTemplate
    private let allocator = NameAllocator()

    init(remote: RcloneRemote, template: PathTemplate, capabilities: Capabilities) {
        self.remote = remote
        self.template = template
        self.capabilities = capabilities
        let copies = RcloneCopies(remote: remote)
        facets = Facets(
            albums: RcloneAlbums(remote: remote), presence: copies, leftovers: RcloneLeftovers(remote: remote),
            removal: copies)
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        var folders = names(of: item, context)
        let name = folders.removeLast()
        let upload = RcloneUpload(
            item: item, bytes: bytes, context: context, remote: remote, folder: folders.joined(separator: "/"),
            name: name, traits: try await remote.traits())
        do throws(SubmitFailure) {
            return try await allocator.store(item, in: upload, context: context)
        } catch {
            await upload.cleanUp()
            throw error
        }
    }

    /// The item's folders and its name: those of the copy that is repaired, else what the template makes of it.
    private func names(of item: MediaItem, _ context: SubmissionContext) -> [String] {
        context.repairedAddress.map { PathNames.split($0) } ?? template.render(item, album: context.album)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        var folders = names(of: item, context)
        folders[folders.count - 1] = RcloneLeftovers.name(of: context.submission)
        try await remote.remove(folders.joined(separator: "/"))
        if let kept = context.checkpoint.map({ String(decoding: $0.data, as: UTF8.self) }),
            kept != folders.joined(separator: "/"), RcloneLeftovers.isOne(kept)
        {
            try await remote.remove(kept)
        }
    }

    func check() async throws(SubmitFailure) -> String {
        let traits = try await remote.traits()
        let wasThere = try await remote.rclone.run(["lsf", "--max-depth", "1", "--", remote.root]).status == .exited(0)
        let path = RcloneLeftovers.name(of: "check-\(UInt64.random(in: 0...UInt64.max))")
        let probe = ProbeBytes()
        do throws(SubmitFailure) {
            try await remote.store(probe, at: path, sent: { _ in })
            let isThere = try await remote.file(path)?.Size == probe.size
            try await remote.remove(path)
            if !wasThere { try await remote.removeFolder("") }
            guard isThere else {
                throw SubmitFailure(
                    .hold(.misconfigured, after: nil), code: "not-stored",
                    message: "“\(remote.root)” took a file and does not have it; see what rclone does with it.")
            }
        } catch {
            try? await remote.remove(path)
            throw error
        }
        let proof = traits.digest.map { "Copies are proven by the \($0.rawValue.uppercased()) it tells." }
        return "rclone can write to “\(remote.root)”. "
            + (proof ?? "It tells no digest: copies are proven by their size, unless they are read back.")
    }
}

/// A few bytes to try a remote with.
private struct ProbeBytes: MediaBytes {
    let size: Int64 = 6
    var fileDescriptor: CInt? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let rest = Array("submit".utf8).dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }

    func verifyUnchanged() throws(SubmitFailure) {}
}

public import Submit
internal import SubmitDigest
internal import SubmitMedia
internal import SubmitPlatform
public import SubmitStore
internal import SystemPackage

/// A file that was looked at: what it is, and the marks by which a change shows.
public struct InspectedFile: Sendable {
    /// What it is, with the digests of the bytes that were read.
    public var item: MediaItem
    /// The file's marks when it was opened.
    public var identity: SourceIdentity
    /// See ``SubmitItem/idempotencyKey``.
    public var idempotencyKey: String?
    /// The end that it lacks, although all of the file was read; `nil`: nothing shows that anything is missing.
    var missingEnd: MissingEnd?
}

/// What to find out about a file besides its type.
struct Inspection: Sendable {
    /// The facts of those that an item is to go to.
    var destinations: [Capabilities]
    /// Files that are neither photo nor video are taken too, even empty ones.
    var takesAnyFile: Bool

    /// Looks at a file: one reading pass.
    ///
    /// Blocks its thread, and ends when the task is cancelled.
    ///
    /// - Throws: a sentence on why the file cannot be accepted. The codes `not-media` and `sidecar` mean that it is a
    ///   readable file that is no photo and no video.
    /// - Parameters:
    ///   - name: what it is to be called; `nil`: as its file is.
    ///   - kinds: what is of another one ends with the code `excluded`; `nil`: all are taken.
    ///   - known: digests of its bytes. Where they are all that is wanted, only its head is read.
    ///   - size: of how many bytes they are: of a file that has others by now they are not believed.
    ///   - writing: the marks that it had when it was found, and who knows whether it is still being written: then it ends with
    ///     the code `being-written`. `nil`: nobody else writes it.
    func inspect(
        _ path: FilePath, as name: String? = nil, kinds: Set<MediaKind>? = nil, known: Digests = Digests(),
        ofSize size: Int64? = nil, unlessWrittenSince writing: (seen: SourceIdentity, writers: FileWriters)? = nil
    ) throws(SubmitFailure) -> InspectedFile {
        let called = name.map { FilePath($0) } ?? path
        // Without O_NONBLOCK a pipe put in the file's place meanwhile would hold us for ever.
        let descriptor = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FileWalk.refusal(path, Errno(rawValue: errno)) }
        let source = try GuardedFile(descriptor: descriptor, path: path)
        if let writing, writing.writers.isWriting(descriptor, path, source.identity, since: writing.seen) {
            throw SubmitFailure(
                .giveUp, code: Self.beingWrittenCode,
                message: "“\(called)” is still being written: it was not accepted, submit it when it is complete.")
        }
        if source.size == 0 && !takesAnyFile {
            throw SubmitFailure(
                .giveUp, code: "empty", message: "“\(called)” is empty: it was not accepted, copy it again.")
        }
        var (type, captured) = (MediaType.other, CaptureTime?.none)
        let isDated = destinations.contains(where: \.usesCaptureTime)
        let search = EndMarkerSearch(source)
        var missingEnd: MissingEnd?
        let found: Digests
        do throws(SubmitFailure) {
            let wanted = digests(ofSize: source.size)
            let look = { (head: UnsafeRawBufferPointer) throws(SubmitFailure) in
                type = try self.type(of: head, called, kinds)
                switch MissingEnd.look(at: descriptor, type: type, head: head) {
                case .whole: break
                case .missing(let end): missingEnd = end
                case .markerSought(let offset): search.begin(at: offset, head: head)
                }
                guard isDated else { return }
                captured = CaptureMetadata.captureTime(of: descriptor, type: type, head: head)
            }
            if source.size == size, wanted.isSubset(of: known.algorithms) {
                found = known
                let head = try source.bytes(at: 0, count: Int(min(source.size, Self.headLength)))
                try head.withUnsafeBufferPointer { (head) throws(SubmitFailure) in
                    try look(UnsafeRawBufferPointer(head))
                }
            } else {
                found = try Digests.reading(wanted, of: search, atHead: look)
                if search.isMissing { missingEnd = .jpeg }
            }
            try source.verifySize()
        } catch {
            guard error.code == "source-changed" else { throw error }
            throw SubmitFailure(
                .giveUp, code: Self.beingWrittenCode,
                message: "“\(called)” changed while it was read: it was not accepted, submit it when it is complete.")
        }
        return InspectedFile(
            item: MediaItem(
                source: path, name: name ?? Self.name(of: path), size: source.size, type: type,
                modified: source.identity.modified, captured: captured, digests: found),
            identity: source.identity, missingEnd: missingEnd)
    }

    /// As much as is looked at where all is read.
    private static let headLength: Int64 = 256 << 10

    static let sidecarCode = "sidecar"
    static let excludedCode = "excluded"
    static let beingWrittenCode = "being-written"

    private func digests(ofSize size: Int64) -> Set<DigestAlgorithm> {
        destinations.reduce(into: [.sha256]) { $0.formUnion($1.digests(ofSize: size)) }
    }

    private func type(
        of head: UnsafeRawBufferPointer, _ path: FilePath, _ kinds: Set<MediaKind>?
    ) throws(SubmitFailure) -> MediaType {
        let fileExtension = path.extension ?? ""
        let (type, sidecar) = head.prefix(MediaTypeDetector.headLength).withMemoryRebound(to: UInt8.self) { head in
            (
                MediaTypeDetector.type(of: head.span, fileExtension: fileExtension),
                Sidecar(head: head.span, fileExtension: fileExtension)
            )
        }
        if let kinds, !kinds.contains(type?.kind ?? .other) {
            throw SubmitFailure(
                .giveUp, code: Self.excludedCode,
                message: "“\(path)” is of a kind that was not asked for: ask for it, too, if it is meant.")
        }
        if takesAnyFile { return type ?? .other }
        if let sidecar {
            throw SubmitFailure(
                .giveUp, code: Self.sidecarCode,
                message:
                    "“\(path)” is a sidecar (\(sidecar.rawValue.uppercased())), which belongs to a photo or a video: "
                    + "it is sent where any file is taken.")
        }
        if let type { return type }
        throw SubmitFailure(
            .giveUp, code: "not-media",
            message: "“\(path)” is neither a photo nor a video that submit knows: it is sent where any file is taken.")
    }

    /// A path's last part as text, another one for each.
    static func name(of path: FilePath) -> String {
        let name = path.lastComponent.map(EscapedName.text) ?? ""
        return name.isEmpty || name == "." || name == ".." ? "unnamed" : name
    }
}

public import Submit
internal import SubmitTransfer

/// Puts photos and videos on Acme.
///
/// A copy is uploaded under a name of its own, proven by its digest, and only then gets the name that people see.
public struct AcmeSubmitter: Submitter {
    public let facets: Facets
    private let service: AcmeService
    private let names = NameAllocator()

    // HOLE 1 of 6: what Acme takes, and what has to be configured.
    // The engine schedules by these facts and refuses what is beyond them before any byte moves: state no limit that
    // Acme does not have, and every one it has. Secrets are settings of the kind `.secret`: keep the `Settings` and ask
    // them when a secret is needed. They never show one; a property of yours does, in any description.
    static let facts = Capabilities(
        ordering: .concurrent(4), captionLimit: 0, supportsAlbums: true, canResume: true, requiresNetwork: false)

    public var capabilities: Capabilities { Self.facts }

    /// The type, for registries.
    public static func submitterType() -> SubmitterType {
        SubmitterType(
            name: "acme", summary: "Puts photos and videos on Acme", capabilities: facts,
            settings: [
                SettingKey("folder", .path, summary: "The folder that plays Acme", isRequired: true),
                SettingKey("token", .secret, summary: "What opens Acme", environment: ["ACME_TOKEN"]),
            ]
        ) { settings throws(SubmitFailure) in
            AcmeSubmitter(service: AcmeService(standIn: try StandIn(settings)))
        }
    }

    init(service: AcmeService) {
        self.service = service
        facets = Facets(albums: service, presence: service, removal: service)
    }

    public func check() async throws(SubmitFailure) -> String {
        try await service.check()
    }

    // From here on stand the promises. It can stay as it is where Acme has uploads that show only when they are ended.

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let upload = AcmeUpload(service: service, item: item, bytes: bytes, context: context)
        return try await names.store(item, in: upload, context: context)
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        // Without a checkpoint: where Acme takes our own ids, one that was begun and not written down any more.
        let upload = context.checkpoint.map { String(decoding: $0.data, as: UTF8.self) } ?? context.submission
        try await service.abandon(upload)
    }
}

/// One item on its way: uploaded once, and then shown under the first name that it may have.
private actor AcmeUpload: NamedStorage {
    private let service: AcmeService
    private let item: MediaItem
    private let bytes: any MediaBytes
    private let context: SubmissionContext
    private var uploaded: (id: String, evidence: Evidence)?

    init(service: AcmeService, item: MediaItem, bytes: any MediaBytes, context: SubmissionContext) {
        (self.service, self.item, self.bytes, self.context) = (service, item, bytes, context)
    }

    nonisolated var place: String { "Acme" }

    nonisolated func identity(of address: String) -> String { "acme \(service.standIn.folder) \(address)" }

    nonisolated func address(_ number: Int) -> String {
        if number == 0, let address = context.repairedAddress { return address }
        let name = number == 0 ? FileName(item.name).fitted() : FileName(item.name).numbered(number)
        return context.album.map { "\($0)/\(name)" } ?? name
    }

    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<StoredCopy> {
        guard let there = try await service.look(address) else { return .free }
        // The same size is no reason to take someone else's for it.
        if try await service.evidence(there, at: address, of: item) == .verified {
            return .same(Receipt(remoteID: address, evidence: .verified, wasThere: true))
        }
        return .other(there, OtherContent(size: there.size, sha256: there.sha256))
    }

    func store(at address: String, over sighting: NameSighting<StoredCopy>) async throws(SubmitFailure) -> Receipt? {
        if uploaded == nil { uploaded = try await upload() }
        guard let uploaded else { return nil }
        try bytes.verifyUnchanged()
        if Task.isCancelled { throw .cancelled }
        let replaces = if case .other = sighting { true } else { false }
        guard try await service.publish(uploaded.id, as: address, replacing: replaces) else { return nil }
        return Receipt(remoteID: address, evidence: uploaded.evidence)
    }

    func abandon() async throws(SubmitFailure) -> String? {
        let kept = context.checkpoint.map { String(decoding: $0.data, as: UTF8.self) }
        if let id = uploaded?.id ?? kept { try await service.abandon(id) }
        return nil
    }

    /// Sends what Acme does not have yet, and proves the whole.
    private func upload() async throws(SubmitFailure) -> (id: String, evidence: Evidence) {
        var upload = context.checkpoint.map { String(decoding: $0.data, as: UTF8.self) } ?? ""
        // Acme says how far it got; the checkpoint only says where to ask.
        var offset = upload.isEmpty ? nil : try await service.landed(upload)
        if offset == nil || offset! > item.size {
            upload = try await service.begin(context.submission)
            try await context.keep(Checkpoint(data: Array(upload.utf8)))
            offset = 0
        }
        var next = offset ?? 0
        while next < item.size {
            if Task.isCancelled { throw .cancelled }
            let piece = try bytes.bytes(in: next..<min(next + AcmeService.partSize, item.size))
            try await service.send(piece, at: next, to: upload)
            next += Int64(piece.count)
            context.sent(next)
            context.landed(next)
        }
        context.sent(item.size)
        let digest = try await service.digest(of: upload)
        let isWhole: Bool
        if let digest {
            isWhole = digest == item.digests[.sha256]
        } else {
            isWhole = try await service.landed(upload) == item.size
        }
        guard isWhole else {
            try await service.abandon(upload)
            try await context.keep(nil)
            throw SubmitFailure(
                .retry(after: nil), code: "damaged", message: "“\(item.name)” arrived damaged: it is sent again.")
        }
        return (upload, digest == nil ? .size : .verified)
    }
}

public import Submit

/// Uploads to a service where they don't show until they are published.
///
/// An item is uploaded once, in order, from the offset that the service reports. The upload is checked before it gets the first
/// name that it may have. Uploads that aren't needed are removed.
public struct StagedUploads<Service: StagingService>: Sendable {
    /// The service.
    public let service: Service
    private let names = NameAllocator()

    /// The uploads to a service.
    public init(_ service: Service) { self.service = service }

    /// Stores an item, as `Submitter.submit` does.
    ///
    /// - Throws: the service's failures; `damaged` if the upload holds other bytes; those of ``NameAllocator``.
    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let upload = StagedItem(service: service, item: item, bytes: bytes, context: context)
        return try await names.store(item, in: upload, context: context)
    }

    /// Removes what attempts left, as `Submitter.discard` does.
    ///
    /// - Throws: the service's failures.
    public func discard(_ context: SubmissionContext) async throws(SubmitFailure) {
        // Without a checkpoint, an upload may have begun under the submission's name.
        try await service.abandon(context.keptUpload ?? context.submission)
    }
}

extension SubmissionContext {
    fileprivate var keptUpload: String? { checkpoint.map { String(decoding: $0.data, as: UTF8.self) } }
}

/// One item on its way.
private actor StagedItem<Service: StagingService>: NamedStorage {
    private let service: Service
    private let item: MediaItem
    private let bytes: any MediaBytes
    private let context: SubmissionContext
    private var uploaded: (id: String, evidence: Evidence)?

    init(service: Service, item: MediaItem, bytes: any MediaBytes, context: SubmissionContext) {
        (self.service, self.item, self.bytes, self.context) = (service, item, bytes, context)
    }

    nonisolated var place: String { service.place }

    nonisolated func identity(of address: String) -> String { "\(service.account) \(address)" }

    nonisolated func address(_ number: Int) -> String {
        if number == 0, let address = context.repairedAddress { return address }
        let name = number == 0 ? FileName(item.name).fitted() : FileName(item.name).numbered(number)
        return context.album.map { "\($0)/\(name)" } ?? name
    }

    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<CopyFindings> {
        guard let found = try await service.look(address) else { return .free }
        // The same size is no reason to take another's file for the item.
        if try await service.verdict(on: found, at: address, item) == .same(.verified) {
            return .same(Receipt(remoteID: address, evidence: .verified, wasThere: true))
        }
        return .other(found, OtherContent(size: found.size, sha256: found.computed[.sha256]))
    }

    func store(at address: String, over sighting: NameSighting<CopyFindings>) async throws(SubmitFailure) -> Receipt? {
        if uploaded == nil { uploaded = try await upload() }
        guard let uploaded else { return nil }
        try bytes.verifyUnchanged()
        if Task.isCancelled { throw .cancelled }
        let replaces = if case .other = sighting { true } else { false }
        guard try await service.publish(uploaded.id, as: address, replacing: replaces) else { return nil }
        return Receipt(remoteID: address, evidence: uploaded.evidence)
    }

    func abandon() async throws(SubmitFailure) -> String? {
        if let id = uploaded?.id ?? context.keptUpload { try await service.abandon(id) }
        return nil
    }

    private func upload() async throws(SubmitFailure) -> (id: String, evidence: Evidence) {
        var upload = context.keptUpload ?? ""
        // The checkpoint only says where to ask.
        var landed = upload.isEmpty ? nil : try await service.landed(upload)
        if landed.map({ $0 > item.size }) ?? true {
            upload = try await service.begin(item, submission: context.submission)
            try await context.keep(Checkpoint(data: Array(upload.utf8)))
            landed = 0
        }
        var next = landed ?? 0
        while next < item.size {
            if Task.isCancelled { throw .cancelled }
            let piece = try bytes.bytes(in: next..<min(next + service.partSize, item.size))
            try await service.send(piece, at: next, to: upload)
            next += Int64(piece.count)
            context.sent(next)
            context.landed(next)
        }
        context.sent(item.size)
        let verdict: CopyVerdict
        if let digest = try await service.digest(of: upload) {
            verdict = CopyVerdict(readBack: digest, of: item)
        } else {
            verdict = CopyFindings(size: try await service.landed(upload) ?? -1).verdict(on: item)
        }
        guard let evidence = verdict.evidence else {
            try await service.abandon(upload)
            try await context.keep(nil)
            throw SubmitFailure(
                .retry(after: nil), code: "damaged", message: "“\(item.name)” arrived damaged: it is sent again.")
        }
        return (upload, evidence)
    }
}

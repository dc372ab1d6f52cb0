public import Submit

/// Puts photos and videos on Acme.
///
/// A copy is uploaded under a name of its own, proven by its digest, and only then gets the name that people see.
public struct AcmeSubmitter: Submitter {
    public let facets: Facets
    private let service: AcmeService

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
        var uploaded: (upload: String, evidence: Evidence)?
        var number = 0
        while true {
            let path = path(of: item, number, context)
            if let there = try await service.look(path) {
                // The same size is no reason to take someone else's for it.
                if try await service.evidence(there, at: path, of: item) == .verified {
                    try await abandon(uploaded?.upload, context)
                    return Receipt(remoteID: path, evidence: .verified, wasThere: true)
                }
                switch context.onConflict {
                // Neither the copy of another photo of ours is replaced, nor anything under a numbered name.
                case .overwrite where number == 0:
                    if try await context.mayReplace(path) { break }
                    fallthrough
                case .rename, .overwrite:
                    number += 1
                    continue
                case .skip:
                    try await abandon(uploaded?.upload, context)
                    return Receipt(
                        remoteID: path, evidence: .unknown, wasThere: true,
                        note: "Something else is called “\(path)”; it was left alone and nothing was stored.")
                case .fail:
                    throw SubmitFailure(
                        .giveUp, code: "name-taken",
                        message: "Something else is called “\(path)” on Acme: rename one of them.")
                }
            } else if !context.reserve(path) {
                number += 1
                continue
            }
            if uploaded == nil { uploaded = try await upload(item, bytes, context) }
            guard let (upload, evidence) = uploaded else { continue }
            try bytes.verifyUnchanged()
            if Task.isCancelled { throw .cancelled }
            let replaces = context.onConflict == .overwrite && number == 0
            // Where someone else was quicker, it has to be looked again what they put there.
            guard try await service.publish(upload, as: path, replacing: replaces) else { continue }
            let note = number > 0 ? "It is called “\(path)”, because another copy has its name." : nil
            return Receipt(remoteID: path, evidence: evidence, note: note)
        }
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        // Without a checkpoint: where Acme takes our own ids, one that was begun and not written down any more.
        let upload = context.checkpoint.map { String(decoding: $0.data, as: UTF8.self) } ?? context.submission
        try await service.abandon(upload)
    }

    /// Removes what this attempt or one before it sent, where that is not needed.
    private func abandon(_ uploaded: String?, _ context: SubmissionContext) async throws(SubmitFailure) {
        let kept = context.checkpoint.map { String(decoding: $0.data, as: UTF8.self) }
        if let upload = uploaded ?? kept { try await service.abandon(upload) }
    }

    private func path(of item: MediaItem, _ number: Int, _ context: SubmissionContext) -> String {
        if number == 0, let address = context.repairedAddress { return address }
        let name = number == 0 ? FileName(item.name).fitted() : FileName(item.name).numbered(number)
        return context.album.map { "\($0)/\(name)" } ?? name
    }

    /// Sends what Acme does not have yet, and proves the whole.
    private func upload(
        _ item: MediaItem, _ bytes: any MediaBytes, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> (String, Evidence) {
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

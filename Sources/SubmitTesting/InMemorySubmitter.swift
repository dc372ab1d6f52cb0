public import Submit
internal import SubmitDigest

/// A submitter that keeps its copies in memory: the contract's reference, and a stand-in for tests of what is around
/// submitters.
///
/// Its faults are scripted: see ``InMemoryPlace/script`` and ``InMemoryPlace/outage``.
public struct InMemorySubmitter: Submitter {
    /// Where its copies are.
    public let place: InMemoryPlace
    public let capabilities: Capabilities

    /// - Parameters:
    ///   - place: one that several submitters may share; without, one of its own.
    ///   - capabilities: what it says of itself, and keeps to.
    public init(_ place: InMemoryPlace = InMemoryPlace(), capabilities: Capabilities = Self.capabilities) {
        self.place = place
        self.capabilities = capabilities
    }

    /// Four submissions at once, captions of up to 500 characters, albums, no resuming, copies that are read back.
    public static let capabilities = Capabilities(
        ordering: .concurrent(4), captionLimit: 500, supportsAlbums: true, requiresNetwork: false, digests: [.sha256],
        canReadBack: true)

    /// The same for one that goes on in the middle of an item.
    public static var resumingCapabilities: Capabilities {
        var capabilities = capabilities
        capabilities.canResume = true
        return capabilities
    }

    /// Bytes that land at once.
    public static let partSize = 65_536

    /// The type, for registries. All its submitters share `place`.
    public static func submitterType(
        name: String = "memory", aliases: [String] = [], place: InMemoryPlace = InMemoryPlace(),
        capabilities: Capabilities = Self.capabilities
    ) -> SubmitterType {
        SubmitterType(
            name: name, aliases: aliases, summary: "Keeps copies in memory, for tests", capabilities: capabilities,
            settings: []
        ) { _ in InMemorySubmitter(place, capabilities: capabilities) }
    }

    public var facets: Facets {
        Facets(albums: capabilities.supportsAlbums ? place : nil, presence: place, removal: place)
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        place.begin(item)
        defer { place.end() }
        try await place.run(.beforeSending, item, context)
        let receipt = try await settle(item, bytes, context)
        place.forget(context.submission)
        return receipt
    }

    /// Finds the item a name, and puts it there unless it is there.
    private func settle(
        _ item: MediaItem, _ bytes: any MediaBytes, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        for number in 0... {
            let own = context.repairedAddress ?? place.path(item.name, context.album)
            let name = number == 0 ? own : FileName(own).numbered(number)
            let replaces = number == 0 && context.onConflict == .overwrite
            if let copy = place[name] {
                if copy.matches(item) { return receipt(name, context, wasThere: true) }
                switch context.onConflict {
                case .overwrite where replaces: guard try await context.mayReplace(name) else { continue }
                case .rename, .overwrite: continue
                case .skip:
                    return receipt(
                        name, context, wasThere: true, note: "Other bytes have the name “\(name)”.")
                case .fail:
                    throw SubmitFailure(
                        .giveUp, code: "conflict", message: "“\(item.name)” was not stored: other bytes have its name.")
                }
            } else if !context.reserve(name) {
                continue
            }
            let data = try await receive(item, bytes, context)
            try await place.run(.beforeStoring, item, context)
            guard place.store(data, as: name, replacing: replaces) else { continue }
            try await place.run(.afterStoring, item, context)
            return receipt(name, context)
        }
        throw .cancelled
    }

    /// The item's bytes, part by part. Where it resumes, each part lands, and what had landed does not come again.
    private func receive(
        _ item: MediaItem, _ bytes: any MediaBytes, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> [UInt8] {
        if capabilities.canResume { try await context.keep(Checkpoint(data: Array(context.submission.utf8))) }
        var data = capabilities.canResume ? place.upload(context.submission) : []
        while Int64(data.count) < bytes.size {
            if Task.isCancelled { throw .cancelled }
            let offset = Int64(data.count)
            let piece = try bytes.bytes(at: offset, count: Int(min(Int64(Self.partSize), bytes.size - offset)))
            guard !piece.isEmpty else {
                throw SubmitFailure(
                    .retry(after: nil), code: "source-short", message: "“\(item.name)” ended too early: try again.")
            }
            data += piece
            place.took(piece.count)
            context.sent(Int64(data.count))
            if capabilities.canResume {
                place.land(data, of: context.submission)
                context.landed(Int64(data.count))
            }
            await Task.yield()
        }
        try bytes.verifyUnchanged()
        guard data.matches(item) else {
            // Whoever tries again must not go on from these.
            place.forget(context.submission)
            throw SubmitFailure(
                .retry(after: nil), code: "damaged", message: "“\(item.name)” arrived damaged: try again.")
        }
        return data
    }

    private func receipt(
        _ name: String, _ context: SubmissionContext, wasThere: Bool = false, note: String? = nil
    ) -> Receipt {
        let evidence = context.verification == .readback ? .verified : place.proves
        return Receipt(
            remoteID: name, url: "memory://\(place.name)/\(name)", evidence: note == nil ? evidence : .unknown,
            wasThere: wasThere, note: note)
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await place.run(.discarding, item, context)
        place.forget(context.submission)
    }

    public func check() async throws(SubmitFailure) -> String {
        if let outage = place.outage { throw outage }
        return "It keeps \(place.contents.count) copies in memory."
    }
}

extension [UInt8] {
    func matches(_ item: MediaItem) -> Bool {
        guard Int64(count) == item.size else { return false }
        var pass = DigestPass([.sha256])
        withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256] == item.digests[.sha256]
    }
}

internal import Submit
internal import SubmitDigest
internal import SubmitTransfer

/// One item on its way into memory.
struct InMemoryUpload: NamedStorage {
    let storage: InMemoryPlace
    let item: MediaItem
    let bytes: any MediaBytes
    let context: SubmissionContext
    /// A later attempt continues where this one broke.
    let resumes: Bool

    var place: String { "memory" }

    func identity(of address: String) -> String { storage.url(of: address) }

    func url(of address: String) -> String? { storage.url(of: address) }

    func address(_ number: Int) -> String {
        let own = context.repairedAddress ?? storage.path(item.name, context.album)
        return number == 0 ? own : FileName(own).numbered(number)
    }

    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<Void> {
        guard let copy = storage[address] else { return .free }
        guard copy.matches(item) else { return .other((), OtherContent(size: Int64(copy.count))) }
        return .same(receipt(address, wasThere: true))
    }

    func store(at address: String, over sighting: NameSighting<Void>) async throws(SubmitFailure) -> Receipt? {
        let data = try await receive()
        try await storage.run(.beforeStoring, item, context)
        let replaces = if case .other = sighting { true } else { false }
        guard storage.store(data, as: address, replacing: replaces) else { return nil }
        try await storage.run(.afterStoring, item, context)
        return receipt(address, wasThere: false)
    }

    /// The item's bytes, part by part. Where it resumes, each part lands, and what had landed does not come again.
    private func receive() async throws(SubmitFailure) -> [UInt8] {
        if resumes { try await context.keep(Checkpoint(data: Array(context.submission.utf8))) }
        var data = resumes ? storage.upload(context.submission) : []
        while Int64(data.count) < bytes.size {
            if Task.isCancelled { throw .cancelled }
            let offset = Int64(data.count)
            let piece = try bytes.bytes(
                at: offset, count: Int(min(Int64(InMemorySubmitter.partSize), bytes.size - offset)))
            guard !piece.isEmpty else {
                throw SubmitFailure(
                    .retry(after: nil), code: "source-short", message: "“\(item.name)” ended too early: try again.")
            }
            data += piece
            storage.took(piece.count)
            context.sent(Int64(data.count))
            if resumes {
                storage.land(data, of: context.submission)
                context.landed(Int64(data.count))
            }
            await Task.yield()
        }
        try bytes.verifyUnchanged()
        guard data.matches(item) else {
            // Whoever tries again must not go on from these.
            storage.forget(context.submission)
            throw SubmitFailure(
                .retry(after: nil), code: "damaged", message: "“\(item.name)” arrived damaged: try again.")
        }
        return data
    }

    private func receipt(_ address: String, wasThere: Bool) -> Receipt {
        let evidence = context.verification == .readback ? .verified : storage.proves
        return Receipt(remoteID: address, url: url(of: address), evidence: evidence, wasThere: wasThere)
    }
}

internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitStore
internal import Synchronization
internal import SystemPackage

/// One try of a submission: the source is looked at, the limits are, and the submitter sends.
struct SubmissionAttempt: Sendable {
    let claim: ClaimedSubmission
    let destination: Destination
    let store: any Store
    let addresses: AddressReservations
    let progress: Progress
    let sent: @Sendable (Int64) -> Void

    /// What came of it, without secrets: no submitter can bring one into the journal, an event or a log.
    func run() async -> Result<Receipt, SubmitFailure> {
        await attempt().map(\.withoutSecrets).mapError(\.withoutSecrets)
    }

    private func attempt() async -> Result<Receipt, SubmitFailure> {
        do throws(SubmitFailure) {
            if let skipped = try skipped() { return .success(skipped) }
            let source = try open()
            if !source.identity.agrees(with: claim.identity) { try await recognise(source) }
            var content = try await content(from: source)
            content.item = destination.published(content.item)
            if let recipe = content.recipe { progress.recipe.withLock { $0 = recipe } }
            if let refusal = destination.submitter.capabilities.refusal(
                of: content.item, claim.options, at: destination.name)
            {
                throw refusal
            }
            var context = SubmissionContext(
                claim, journal: store.identity, checkpoint: content.isAnew ? nil : claim.checkpoint, keep: keep,
                sent: sent,
                landed: { [progress] in progress.landed.max($0, ordering: .relaxed) },
                reserve: { [addresses, claim] in addresses.reserve($0, for: claim) }, mayReplace: mayReplace)
            context.logger = .current
            let facts = PictureFacts(of: source, claim.item)
            progress.facts.withLock { $0 = facts }
            if destination.submitter.facets.catalogue != nil {
                guard let document = try await store.document(of: claim, facts) else { return .success(forgotten) }
                context.document = document
            }
            var receipt = try await send(content, context)
            if let failure = claim.disbelief(in: receipt, at: destination.name) { throw failure }
            if source.isGone {
                let vanished = "The source was removed or changed while it was sent; this copy is complete."
                receipt.note = receipt.note.map { "\($0) \(vanished)" } ?? vanished
            }
            return .success(receipt)
        } catch {
            return .failure(error)
        }
    }

    /// Where nothing is to be sent of it, as its destination wants none of its kind.
    private func skipped() throws(SubmitFailure) -> Receipt? {
        if claim.recipe == nil, destination.getsOriginals { return nil }
        let policy = destination.rendition(asked: try claim.recipe.map(RenditionPolicy.init(_:)))
        guard policy.skips(claim.item) else { return nil }
        return Receipt(
            remoteID: "", evidence: .unknown, wasThere: true, note: RenditionPlan.noVideos(destination.name))
    }

    /// What was left out of our catalogue is told to no other.
    private var forgotten: Receipt {
        Receipt(
            remoteID: "", evidence: .unknown, wasThere: true,
            note:
                "“\(claim.item.name)” was left out of the catalogue, and so of the one at “\(destination.name)”: take it in again first."
        )
    }

    private func content(from source: GuardedFile) async throws(SubmitFailure) -> RenditionMaker.Content {
        // Most go as they are.
        if claim.recipe == nil, destination.getsOriginals {
            return RenditionMaker.Content(item: claim.item, bytes: source)
        }
        return try await RenditionMaker(folder: RenditionFolder(store), store: store, destination: destination)
            .content(of: claim, from: source)
    }

    private func send(
        _ content: RenditionMaker.Content, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        do throws(SubmitFailure) {
            return try await destination.submitter.submit(content.item, bytes: content.bytes, context: context)
        } catch {
            // It is the rendition that was lost, and not the source, which others wait for.
            guard content.item.source != claim.item.source, error.remedy == .sourceLost else { throw error }
            RenditionFolder(store).remove(claim.id)
            throw SubmitFailure(
                .retry(after: nil), code: "rendition-changed",
                message:
                    "What “\(destination.name)” is to get of “\(claim.item.name)” was changed while it was sent: it is made anew."
            )
        }
    }

    /// A card that was taken out comes again: what lies on it waits, as for a destination that cannot be reached.
    private func open() throws(SubmitFailure) -> GuardedFile {
        do throws(SubmitFailure) {
            return try GuardedFile.open(claim.item)
        } catch {
            guard error.code == "source-vanished", claim.identity.isOfAbsentDisk(claim.item.source) else { throw error }
            throw SubmitFailure(
                .wait(after: .seconds(30)), code: "source-absent",
                message: "The disk of “\(claim.item.source)” is not there: mount it again, and it is sent.")
        }
    }

    /// A file with other marks may be the same bytes: touched, or on a disk that was mounted anew.
    private func recognise(_ source: GuardedFile) async throws(SubmitFailure) {
        let digests = try await Digests.computed([.sha256], of: source)
        guard digests[.sha256] == claim.item.digests[.sha256] else {
            throw SubmitFailure(
                .sourceLost, code: "source-changed",
                message:
                    "“\(claim.item.source)” has other content than was accepted: submit it again to send it as it now is."
            )
        }
        try await store.reidentify([claim.itemID: source.identity])
    }

    private func mayReplace(_ address: CopyAddress) async -> Result<Bool, SubmitFailure> {
        do throws(SubmitFailure) {
            return .success(try await addresses.mayReplace(address, by: claim))
        } catch {
            return .failure(error)
        }
    }

    private func keep(_ checkpoint: Checkpoint?) async -> Result<Void, SubmitFailure> {
        do throws(SubmitFailure) {
            if let checkpoint, !KnownSecrets.areAbsent(fromName: String(decoding: checkpoint.data, as: UTF8.self)) {
                throw SubmitFailure(
                    .hold(.misconfigured, after: nil), code: "secret-in-checkpoint",
                    message:
                        "“\(claim.item.name)” was not sent: “\(destination.name)” wants a secret of yours to be kept with it: "
                        + "take a password that is no name of anything there.")
            }
            guard try await store.keep(checkpoint, for: claim) else { return .failure(.cancelled) }
            progress.checkpoint.withLock { $0 = checkpoint }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}

extension SubmissionContext {
    init(
        _ claim: ClaimedSubmission, journal: String, checkpoint: Checkpoint?,
        keep: @escaping @Sendable (Checkpoint?) async -> Result<Void, SubmitFailure> = { _ in .success(()) },
        sent: @escaping @Sendable (Int64) -> Void = { _ in },
        landed: @escaping @Sendable (Int64) -> Void = { _ in },
        reserve: @escaping @Sendable (CopyAddress) -> Bool = { _ in true },
        mayReplace: @escaping @Sendable (CopyAddress) async -> Result<Bool, SubmitFailure> = { _ in .success(true) }
    ) {
        self.init(
            submission: "\(journal)-\(claim.id)", attempt: claim.tries, options: claim.options,
            checkpoint: checkpoint, keep: keep, sent: sent, landed: landed, reserve: reserve, mayReplace: mayReplace)
        disproved = claim.disproved
    }
}

extension ClaimedSubmission {
    /// Why a receipt is not believed that calls a copy there which an audit found to be something else, and proves
    /// nothing; `nil` where it is.
    fileprivate func disbelief(in receipt: Receipt, at destination: String) -> SubmitFailure? {
        guard let disproved, receipt.wasThere, receipt.remoteID == disproved, receipt.evidence != .verified,
            !receipt.isOfSkipped
        else { return nil }
        return SubmitFailure(
            .giveUp, code: "copy-disproved",
            message:
                "“\(item.name)” was not sent again: “\(destination)” calls “\(disproved)” there, which an audit found to be "
                + "something else, and proves it by “\(receipt.evidence.rawValue)” only: see whether it is whole, and if not "
                + "remove it and retry.")
    }
}

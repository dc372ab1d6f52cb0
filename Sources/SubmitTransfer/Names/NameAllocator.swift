public import Submit
internal import SubmitConcurrency

/// Stores items under their names, or under the next ones that are free.
///
/// The same bytes under a name count as done. Other bytes are replaced only under the item's own name, with the policy
/// `overwrite`, and only if they are no other photo's copy; then, as with `rename`, the item gets the next free number. In one
/// process, no two items store under one name at a time, whichever destinations they go to. However many files have one
/// name, each costs about one look: see ``NameIndex``.
public struct NameAllocator: Sendable {
    private let index = NameIndex()

    /// How often one name is looked at again because others store there at the same time.
    private static let mostRounds = 4

    /// The names of one destination.
    public init() {}

    /// Stores an item under the first name that it may have.
    ///
    /// Cancelling throws `SubmitFailure.cancelled`, unless the item is stored already.
    ///
    /// - Throws: the storage's failures; `name-taken`, `damaged` (see ``NameSearch``), or `conflict` if others keep storing under
    ///   the name: try again.
    public func store(
        _ item: MediaItem, in storage: some NamedStorage, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let own = try storage.address(0)
        if context.attempt > 1, let receipt = try await storeWhereNoted(item, own, in: storage, context: context) {
            return receipt
        }
        var search = NameSearch(for: own, in: storage.place, of: item, policy: context.onConflict, index: index)
        var isNoted = false
        while true {
            let address = try storage.address(search.number)
            let mayReplace = search.number == 0 && context.onConflict == .overwrite
            let outcome = try await attempt(
                item, at: address, mayReplace: mayReplace, isNoted: isNoted, in: storage, context: context)
            if case .coming = outcome { isNoted = true }
            switch outcome {
            case .stored(var receipt):
                search.end()
                receipt.add(note: search.note(address, insteadOf: own))
                return receipt
            case .taken(let content), .coming(let content):
                let step: NameSearch.Step
                do throws(SubmitFailure) {
                    step = try search.passOver(address, content)
                } catch {
                    _ = try await storage.abandon()
                    throw error
                }
                guard case .skip(let note) = step else { continue }
                var receipt = Receipt(
                    remoteID: address, url: try await storage.url(of: address), evidence: .unknown, wasThere: true,
                    note: note)
                receipt.add(note: try await storage.abandon())
                return receipt
            }
        }
    }

    /// Looks for the item at the addresses that earlier attempts noted, and otherwise stores it at the first one.
    ///
    /// The server may not show a stored copy yet. Under another name, the item could be stored twice.
    private func storeWhereNoted(
        _ item: MediaItem, _ own: String, in storage: some NamedStorage, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt? {
        // A destination that was set up anew may have other names.
        let addresses = storage.notedAddresses.filter { $0 != own && Self.isNumbered($0, in: storage) }
        for address in addresses {
            guard case .same(var receipt) = try await storage.look(at: address, round: 1) else { continue }
            receipt.add(note: try await storage.abandon())
            return receipt
        }
        guard let address = addresses.first else { return nil }
        return try await store(item, at: address, mayReplace: false, in: storage, context: context)
    }

    /// Whether an address is one of the names after an item's own.
    private static func isNumbered(_ address: String, in storage: some NamedStorage) -> Bool {
        let digits = FileName(address).stem.utf8.reversed().prefix { (48...57).contains($0) }.reversed()
        guard let number = Int(String(decoding: Array(digits), as: UTF8.self)) else { return false }
        return (try? storage.address(number)) == address
    }

    /// Stores an item under one address, and nowhere else.
    ///
    /// - Parameter mayReplace: other bytes may be replaced, if the context allows it too.
    /// - Returns: `nil` if other bytes have the name.
    /// - Throws: as ``store(_:in:context:)`` does.
    public func store(
        _ item: MediaItem, at address: String, mayReplace: Bool, in storage: some NamedStorage,
        context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt? {
        switch try await attempt(item, at: address, mayReplace: mayReplace, in: storage, context: context) {
        case .stored(let receipt): receipt
        case .taken, .coming: nil
        }
    }

    private enum Outcome {
        case stored(Receipt)
        /// Other bytes have the name.
        case taken(OtherContent?)
        /// Another item may come to the name, or fail.
        case coming(OtherContent?)
    }

    private func attempt<Storage: NamedStorage>(
        _ item: MediaItem, at address: String, mayReplace: Bool, isNoted: Bool = false, in storage: Storage,
        context: SubmissionContext
    ) async throws(SubmitFailure) -> Outcome {
        let claims = NameClaims.ofProcess
        let upload = upload(of: item, storage.identity(of: address))
        let needsReservation = context.onConflict == .overwrite || !storage.sparesOthers
        let place = CopyAddress(address, url: needsReservation ? try await storage.url(of: address) : nil)
        let isReserved = !needsReservation || context.reserve(place)
        // What an earlier attempt sent may arrive there late. Under other policies the item may have no other name, or an
        // earlier version of the same file may be on its way there, which the reservation knows.
        let mayBeThere = context.attempt > 1 || context.checkpoint != nil
        let waits = isReserved && (context.onConflict != .rename || mayBeThere)
        for round in 0..<Self.mostRounds {
            switch await claims.beginLook(upload, waits: waits) {
            case .cancelled: throw .cancelled
            case .isAnothers: return .coming(nil)
            case .isOurs: break
            }
            let sighting: NameSighting<Storage.Seen>
            var outcome: Outcome?
            do throws(SubmitFailure) {
                sighting = try await storage.look(at: address, round: round)
                switch sighting {
                case .same(let receipt): outcome = .stored(receipt)
                case .coming(let other): outcome = .coming(other)
                case .free, .notLooked: if !isReserved { outcome = .coming(nil) }
                case .other(let seen, let other):
                    var isAllowed = false
                    if mayReplace, try await storage.isMeant(seen, at: address) {
                        isAllowed = try await context.mayReplace(place)
                    }
                    if !isAllowed { outcome = .taken(other) }
                }
            } catch {
                claims.endLook(upload)
                throw error
            }
            if let outcome {
                claims.endLook(upload)
                guard case .stored(var receipt) = outcome else { return outcome }
                receipt.add(note: try await storage.abandon())
                return .stored(receipt)
            }
            claims.beginUpload(upload)
            defer { claims.endUpload(upload) }
            if isNoted { try await storage.note(address) }
            if let receipt = try await storage.store(at: address, over: sighting) { return .stored(receipt) }
        }
        throw SubmitFailure(
            .retry(after: nil), code: "conflict",
            message:
                "Others store under the name “\(address)” in \(storage.place) at the same time as “\(item.name)”: try again."
        )
    }

    // MARK: - For submitters that drive a search themselves

    /// Begins the search for an item's name.
    ///
    /// - Parameters:
    ///   - address: the item's own address.
    ///   - place: the destination as sentences call it.
    public func search(
        for address: String, in place: String, of item: MediaItem, policy: ConflictPolicy
    ) -> NameSearch {
        NameSearch(for: address, in: place, of: item, policy: policy, index: index)
    }

    /// Claims a free name for an item's bytes until ``release(_:of:)``, without waiting.
    ///
    /// It only spares uploads: others' files are safe because the destination refuses to replace them.
    ///
    /// - Parameter identity: see ``NamedStorage/identity(of:)``.
    /// - Returns: false if another item is on its way there.
    public func claim(_ identity: String, for item: MediaItem) -> Bool {
        NameClaims.ofProcess.claim(upload(of: item, identity))
    }

    /// Whether another item of this destination has claimed a name, so that a look can be spared.
    public func isClaimed(_ identity: String, besides item: MediaItem) -> Bool {
        NameClaims.ofProcess.isAnothers(upload(of: item, identity))
    }

    /// Ends a claim.
    public func release(_ identity: String, of item: MediaItem) {
        NameClaims.ofProcess.release(upload(of: item, identity))
    }

    private func upload(of item: MediaItem, _ identity: String) -> NameClaims.Upload {
        NameClaims.Upload(owner: ObjectIdentifier(index), identity: identity, sha256: item.digests[.sha256] ?? [])
    }
}

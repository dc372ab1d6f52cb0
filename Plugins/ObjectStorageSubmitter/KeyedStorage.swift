internal import FoundationEssentials
internal import Submit
internal import SubmitTransfer

/// One item and the keys that it may be stored under.
struct KeyedStorage: NamedStorage {
    let container: any ObjectContainer
    /// The container's URL.
    let root: String
    let digests: ItemDigests
    /// The item's own key.
    let wanted: ObjectKey
    /// Whether that one is looked at before the item is sent.
    let first: PreflightPolicy.Decision
    let preflight: PreflightPolicy
    /// The destination reads every copy back.
    let readsBack: Bool
    let context: SubmissionContext
    /// Addresses begin with the container's name.
    let isBucketAlbum: Bool
    /// The service heeds conditions.
    let sparesOthers: Bool

    private var item: MediaItem { digests.item }

    var place: String { container.place }

    func identity(of address: String) -> String { root + key(of: address) }

    func address(_ number: Int) throws(SubmitFailure) -> String {
        let key = number == 0 ? wanted : wanted.numbered(number)
        try key.checkLength()
        return isBucketAlbum ? "\(container.name)/\(key.text)" : key.text
    }

    private func key(of address: String) -> String {
        isBucketAlbum ? String(address.dropFirst(container.name.count + 1)) : address
    }

    func url(of address: String) async throws(SubmitFailure) -> String? {
        try await container.url(of: key(of: address))
    }

    private func isOwn(_ address: String) throws(SubmitFailure) -> Bool { try address == self.address(0) }

    /// The context of one key. A copy that an audit disproved is read back. Only the item's own key may be replaced.
    private func context(at address: String) throws(SubmitFailure) -> SubmissionContext {
        var context = context
        if readsBack || context.disproved == address { context.verification = .readback }
        if context.replaces, try !isOwn(address) { context.onConflict = .rename }
        return context
    }

    private func verifier(at address: String) throws(SubmitFailure) -> ObjectVerifier {
        ObjectVerifier(
            container: container, digests: digests, key: key(of: address),
            verification: try context(at: address).verification)
    }

    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<StoredObject> {
        let key = key(of: address)
        if round == 0, try await decision(at: address) == .send { return try await pending(at: key) ?? .notLooked }
        guard let object = try await container.object(key, file: item.name) else {
            return try await pending(at: key) ?? .free
        }
        preflight.foundSomething()
        let repaired = try await container.mend(object, at: key, with: item, digests.bytes)
        guard let evidence = try await verifier(at: address).evidence(that: object) else {
            let sha256 = object.sha256.flatMap { Hexadecimal.bytes(of: $0) }
            return .other(
                object, OtherContent(size: object.size, sha256: sha256, isDamagedCopy: object.claims(item)))
        }
        return .same(
            Receipt(
                remoteID: address, url: try await url(of: address), evidence: evidence, wasThere: repaired == 0,
                note: repaired == 0 ? nil : "\(repaired) of its pieces were missing or changed, and were sent again.",
                marks: object.marks))
    }

    private func decision(at address: String) async throws(SubmitFailure) -> PreflightPolicy.Decision {
        if try isOwn(address) { return first }
        return await preflight.decision(for: item, in: container, isFirst: false, context: context)
    }

    /// Another submission's item that may yet come to a key, because its upload was never answered; `nil` without one.
    private func pending(at key: String) async throws(SubmitFailure) -> NameSighting<StoredObject>? {
        guard let other = container.awaited?.item(at: try await container.url(of: key), besides: context.submission)
        else { return nil }
        let isAnother = other.digests[.sha256] != item.digests[.sha256]
        if isAnother, context.onConflict == .rename || context.replaces {
            return .coming(OtherContent(size: other.size, sha256: other.digests[.sha256]))
        }
        throw SubmitFailure(
            .retry(after: nil), code: "conflict",
            message:
                "“\(item.name)” was not stored, because “\(other.name)” may yet come to its key “\(key)” in "
                + "\(container.place): try again later.")
    }

    func isMeant(_ seen: StoredObject, at address: String) async throws(SubmitFailure) -> Bool {
        if case .coming = try await pending(at: key(of: address)) { false } else { true }
    }

    func store(
        at address: String, over sighting: NameSighting<StoredObject>
    ) async throws(SubmitFailure) -> Receipt? {
        let sight: KeyObservation =
            switch sighting {
            case .other(let object, _): .object(object)
            case .notLooked: .unknown
            default: .nothing
            }
        let outcome = try await container.store(
            try verifier(at: address), over: sight, context: try context(at: address))
        guard case .stored(let proof, let note) = outcome else {
            preflight.foundSomething()
            return nil
        }
        return Receipt(
            remoteID: address, url: try await url(of: address), evidence: proof.evidence, note: note,
            marks: proof.marks)
    }

    func note(_ address: String) async throws(SubmitFailure) {
        // An upload in parts has its key in its own checkpoint, and its next attempt starts from that.
        guard context.checkpoint == nil || NotedKey(context.checkpoint)?.isWhole == true else { return }
        try await context.keep(NotedKey(key: key(of: address), isWhole: true).checkpoint)
    }

    var notedAddresses: [String] {
        NotedKey(context.checkpoint).map { [isBucketAlbum ? "\(container.name)/\($0.key)" : $0.key] } ?? []
    }

    func abandon() async throws(SubmitFailure) -> String? {
        try await container.whatStays(of: context.checkpoint, item: item)
    }
}

/// The key in a checkpoint. Checkpoints of uploads in parts have more.
private struct NotedKey: Codable {
    var key: String
    /// The item goes there in one request.
    var isWhole: Bool?

    init(key: String, isWhole: Bool) { (self.key, self.isWhole) = (key, isWhole) }

    init?(_ checkpoint: Checkpoint?) {
        guard let checkpoint, let note = try? JSONDecoder().decode(Self.self, from: Data(checkpoint.data)) else {
            return nil
        }
        self = note
    }

    var checkpoint: Checkpoint { Checkpoint(data: (try? JSONEncoder().encode(self)).map(Array.init) ?? []) }
}

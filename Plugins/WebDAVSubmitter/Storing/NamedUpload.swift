internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer

/// One item on its way to a collection, and the names that it may get there.
final class NamedUpload: NamedStorage {
    let staged: StagedUpload
    private let own: DAVPath
    private let collection: DAVPath
    private let taken: TakenNames
    private let names: NameAllocator
    private let discovery: DAVDiscovery
    /// Others that look at their paths count on this one.
    private let isLookedFor = Locked(false)

    /// - Parameter own: the path with the item's own name.
    init(
        staged: StagedUpload, own: DAVPath, in collection: DAVPath, taken: TakenNames, names: NameAllocator,
        discovery: DAVDiscovery
    ) {
        (self.staged, self.own, self.collection) = (staged, own, collection)
        (self.taken, self.names, self.discovery) = (taken, names, discovery)
    }

    private var server: DAVServer { staged.server }
    private var context: SubmissionContext { staged.load.context }

    var place: String { "“\(server.destination)”" }

    var sparesOthers: Bool { staged.load.profile.sparesOthers }

    func identity(of address: String) -> String { server.endpoint.origin + path(of: address).description }

    func address(_ number: Int) -> String {
        let name = staged.load.profile.names.fitted(own.name ?? "", number)
        return staged.id(of: number == 0 ? own : collection.appending(name))
    }

    func isOwn(_ address: String) -> Bool { address == self.address(0) }

    func path(of address: String) -> DAVPath {
        isOwn(address) ? own : collection.appending(PathNames.split(address).last ?? address)
    }

    func url(of address: String) -> String? { server.url(path(of: address).encoded) }

    // MARK: - Looking

    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<StoredFile> {
        // Who waits for a claim is not waited for: the one that has it may be looked at with others.
        enterLookup()
        let path = path(of: address)
        // An earlier attempt's upload may be there although its answer was lost.
        if round == 0, context.attempt == 1 {
            guard try await taken.mayHold(path, on: staged.load.profile) else { return .free }
        }
        switch try await staged.look(at: path) {
        case .same(let receipt): return .same(receipt)
        case .other(let file):
            taken.add(path)
            return .other(file, OtherContent(size: file.size))
        // Something was in the way that isn't there: the server takes this name for another's.
        case .nothing where round > 1 && DAVNameRules.plain(path.name ?? "") != path.name:
            return .same(try await storePlainly(path, isCut: true))
        case .nothing: return .free
        }
    }

    func isMeant(_ seen: StoredFile, at address: String) async throws(SubmitFailure) -> Bool {
        try await staged.isMeant(seen, at: path(of: address))
    }

    private func enterLookup() {
        guard let lookup = staged.lookup,
            !isLookedFor.withLock({ was in
                defer { was = true }; return was
            })
        else { return }
        lookup.enter()
    }

    func leaveLookup() {
        guard
            isLookedFor.withLock({ was in
                defer { was = false }; return was
            })
        else { return }
        staged.lookup?.leave()
    }

    // MARK: - Storing

    func store(at address: String, over sighting: NameSighting<StoredFile>) async throws(SubmitFailure) -> Receipt? {
        let path = path(of: address)
        var seen: StoredFile?
        if case .other(let file, _) = sighting { seen = file }
        switch try await staged.arrive(at: path, replacing: seen) {
        case .done(let receipt):
            taken.add(path)
            return receipt
        case .astray(let isCut): return try await storePlainly(path, isCut: isCut)
        case .taken: return nil
        }
    }

    /// Stores the item under a plain name after the server took its own name for another one.
    ///
    /// If the item is only gone, others may have taken it away, and would get it twice.
    private func storePlainly(_ path: DAVPath, isCut: Bool) async throws(SubmitFailure) -> Receipt {
        let (name, item) = (path.name ?? "", staged.load.item)
        let plain = DAVNameRules.plain(name)
        guard isCut, plain != name else {
            try await staged.abandon()
            throw SubmitFailure(
                .giveUp, code: "astray",
                message:
                    "“\(server.host)” said that it moved “\(item.name)” to “\(path)”, but nothing is there: look for it at "
                    + "“\(server.destination)”, and submit it again if it is missing.")
        }
        await discovery.learn { $0.names = $0.names.refusing(name) }
        let upload = NamedUpload(
            staged: staged, own: collection.appending(plain), in: collection, taken: taken, names: names,
            discovery: discovery)
        var receipt = try await names.store(item, in: upload, context: context)
        receipt.add(note: "“\(server.host)” does not store under “\(name)”, so it is named “\(plain)”.")
        return receipt
    }

    func note(_ address: String) async throws(SubmitFailure) { try await staged.noteMove(to: path(of: address)) }

    var notedAddresses: [String] { staged.notedMoves.map(staged.id) }

    func abandon() async throws(SubmitFailure) -> String? {
        try await staged.abandon()
        return nil
    }
}

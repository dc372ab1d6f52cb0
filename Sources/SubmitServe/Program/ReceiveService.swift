internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SubmitReceiving
internal import SubmitStore
internal import SystemPackage
internal import SubmitPlatform

/// What `submit receive` does until it is ended: lets senders in, takes their files, and pays what is waiting.
struct ReceiveService: Sendable {
    let order: ReceiveOrder
    let teller: Teller
    private let catalog: DestinationCatalog
    private let manager: SubmitManager
    private let reception: Reception
    private let plan: ListeningPlan
    private let terms: InviteTerms
    /// Held for as long as this receives: two that write the same files would spoil them.
    private let lock: FileLock

    /// How often it looks after what nobody tells it of.
    private static let housekeeping = Duration.seconds(30)

    /// - Throws: a sentence on what is wrong with the configuration, the journal, or the place to listen at.
    init(_ order: ReceiveOrder, _ teller: Teller, places: AppPaths = AppPaths()) throws(SubmitFailure) {
        self.order = order
        self.teller = teller
        guard let lock = try FileLock.free(places.receiving.appending("lock")) else {
            throw .usage("Another “submit receive” receives already: end that one first.")
        }
        self.lock = lock
        let journal = LazyJournal(places.journal)
        catalog = try DestinationCatalog(
            ProgramIdentity("submit", version: order.version), places, journal,
            passphrase: { (_: String) throws(SubmitFailure) -> [UInt8]? in nil })
        manager = SubmitManager(store: try journal.open(), registry: catalog.types.registry)
        if let owner = catalog.owner { manager.owner = owner }
        manager.limit(to: try catalog.bandwidth())
        var names: [String] = []
        for name in order.destinations {
            let destination = try catalog.destination(name)
            manager.add(destination)
            if !names.contains(destination.name) { names.append(destination.name) }
        }
        plan = try ListeningPlan(order, places)
        reception = Reception(manager)
        terms = InviteTerms(
            destinations: names, album: order.album, caption: order.caption, files: order.files, bytes: order.bytes,
            confirms: order.confirms, keep: order.keep,
            secondsToClaim: order.seconds ?? InviteTerms.usualSecondsToClaim)
    }

    /// - Returns: the exit status.
    func run() async throws(SubmitFailure) -> CInt {
        await addMissing()
        do {
            try await reception.tidy()
        } catch {
            throw SubmitFailure(.giveUp, code: error.code, message: error.message)
        }
        let desk = InviteDesk(order: order, terms: terms, plan: plan, reception: reception, teller: teller)
        let requestGuard = RequestGuard(names: plan.names, port: plan.port, isSecure: plan.isSecure)
        let responder = WebResponder(
            reception: reception, requestGuard: requestGuard,
            isSecure: plan.isSecure,
            log: { [teller, isVerbose = order.isVerbose] line in if isVerbose { teller.access(line) } },
            onClaim: { desk.hear($0) }, onLock: { desk.hearLocked($0) })
        let server = WebServer(
            responder: responder, hosts: requestGuard.hosts, address: plan.address, port: plan.port,
            security: plan.security)
        let work = Task { () -> SubmitFailure? in
            await withTaskGroup(of: SubmitFailure?.self) { group in
                group.addTask { await serve(server, desk) }
                if order.takesLocalSend { group.addTask { await serveLocalSend(desk) } }
                group.addTask { await pay() }
                group.addTask { await keepHouse() }
                group.addTask {
                    await UnderWayFile(catalog.places).write(for: manager)
                    return nil
                }
                group.addTask {
                    await desk.work()
                    return nil
                }
                // Whichever is first: the desk's end, or what cannot go on.
                let failure = await group.next() ?? nil
                group.cancelAll()
                return failure
            }
        }
        let signals = EndSignals { work.cancel() }
        defer { signals.end() }
        let failure = await work.value
        await desk.close()
        if let failure, !signals.wereHeard { throw failure }
        // To be ended is how it ends.
        return await desk.status
    }

    private func serve(_ server: WebServer<WebResponder>, _ desk: InviteDesk) async -> SubmitFailure? {
        do {
            try await server.run { _ in desk.open() }
            return nil
        } catch {
            return .usage("\(plan.address), port \(plan.port), cannot be listened at (\(error)): take another --port.")
        }
    }

    /// Its listener has rules of its own, as apps and not browsers speak there.
    private func serveLocalSend(_ desk: InviteDesk) async -> SubmitFailure? {
        var terms = terms
        (terms.isOnce, terms.secondsToClaim) = (false, terms.sessionSeconds)
        do {
            let invite = try await reception.invite(terms)
            let pin = LocalSendDesk.freshPIN()
            let responder = LocalSendResponder(
                reception: reception,
                requestGuard: RequestGuard(
                    names: plan.names, port: LocalSendResponder.port, isSecure: plan.isSecure),
                desk: LocalSendDesk(pin: pin),
                device: LocalSendMessages.Device(
                    alias: "submit on \(MachineAddresses.names.last ?? "this computer")", version: "2.1",
                    deviceModel: "submit", deviceType: "headless",
                    fingerprint: plan.fingerprint.map { Hexadecimal.text(of: $0).uppercased() } ?? "submit",
                    port: LocalSendResponder.port, protocol: plan.isSecure ? "https" : "http", download: false),
                invite: invite,
                log: { [teller, isVerbose = order.isVerbose] line in if isVerbose { teller.access(line) } },
                onClaim: { desk.hear($0) })
            let server = WebServer(
                responder: responder, hosts: responder.requestGuard.hosts, address: plan.address,
                port: LocalSendResponder.port, security: plan.security)
            let (listening, listens) = AsyncStream.makeStream(of: Void.self)
            async let found: Void = beFound(
                LocalSendBeacon(device: responder.device, address: plan.shown[0]), listening)
            defer { listens.finish() }
            try await server.run { [teller, plan] _ in
                teller.tell(
                    "local-send", "LocalSend's app finds this at \(plan.shown[0]); its PIN is \(pin).",
                    ["address": .text(plan.shown[0]), "pin": .text(pin)])
                listens.yield()
            }
            await found
            try? await reception.revoke(invite.id)
        } catch {
            teller.trouble(
                "LocalSend's port \(LocalSendResponder.port) cannot be listened at: \(error).", code: "local-send")
        }
        // The page goes on without it.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        return nil
    }

    /// Once it can be reached, whoever looks for it is to find it; else they give their apps its address.
    private func beFound(_ beacon: LocalSendBeacon, _ listening: AsyncStream<Void>) async {
        // Nobody else looks for what only this machine reaches.
        guard await listening.first(where: { _ in true }) != nil, !MachineAddresses.isLoopback(beacon.address) else {
            return
        }
        do {
            try await beacon.run()
        } catch is CancellationError {
        } catch {
            if Task.isCancelled { return }
            teller.trouble(
                "LocalSend's apps do not find this by themselves (\(error)): give them the address.", code: "local-send"
            )
        }
    }

    /// A run that ended as the journal failed begins anew.
    private func pay() async -> SubmitFailure? {
        while !Task.isCancelled {
            do throws(SubmitFailure) {
                try await manager.run()
            } catch {
                teller.trouble(error.message, code: error.code)
                try? await Task.sleep(for: Self.housekeeping)
            }
        }
        return nil
    }

    private func keepHouse() async -> SubmitFailure? {
        while !Task.isCancelled {
            _ = try? await reception.expire()
            await addMissing()
            try? await Task.sleep(for: Self.housekeeping)
        }
        return nil
    }

    /// What others accepted, and whom an earlier time of ours let in, may be for other destinations.
    private func addMissing() async {
        var names = Set(((try? await manager.store.waiting(nil)) ?? [:]).filter { $0.value.count > 0 }.keys)
        for invite in (try? await reception.invites()) ?? [] where invite.sessions.contains(where: { !$0.isExpired }) {
            names.formUnion(invite.terms.destinations)
        }
        let there = Set(manager.destinations.map(\.name))
        for name in names where !there.contains(name) {
            await BlockingThreads.prompts.run {
                if let destination = try? catalog.destination(name) { manager.add(destination) }
            }
        }
    }
}

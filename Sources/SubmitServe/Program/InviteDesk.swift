internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitReceiving
internal import SubmitStore

/// Shows invites, and tells what comes of them. One device an invite: when one has come in, the next code is shown.
actor InviteDesk {
    private let order: ReceiveOrder
    private let terms: InviteTerms
    private let plan: ListeningPlan
    private let reception: Reception
    private let teller: Teller
    private var shown: InviteID?
    private var outcome = ReceivingOutcome()
    private var watched: Set<SessionID> = []
    /// One question at a time: an answer is to the one that is read.
    private let asking = AsyncSemaphore(1)

    private nonisolated let happenings: AsyncStream<Happening>
    private nonisolated let happening: AsyncStream<Happening>.Continuation

    private enum Happening: Sendable {
        case listening
        case claimed(ReceivingSession)
        case expired(InviteID)
        /// Too many came with another secret.
        case locked(InviteID)
        case overdue
        /// Nothing of this session is missing, and nothing more came for a while.
        case settled(SessionID)
    }

    init(order: ReceiveOrder, terms: InviteTerms, plan: ListeningPlan, reception: Reception, teller: Teller) {
        self.order = order
        self.terms = terms
        self.plan = plan
        self.reception = reception
        self.teller = teller
        (happenings, happening) = AsyncStream.makeStream(of: Happening.self)
    }

    /// It can be reached.
    nonisolated func open() { happening.yield(.listening) }

    /// Somebody has come in.
    nonisolated func hear(_ session: ReceivingSession) { happening.yield(.claimed(session)) }

    /// An invite lets nobody in any more.
    nonisolated func hearLocked(_ invite: InviteID) { happening.yield(.locked(invite)) }

    /// The exit status by what came.
    var status: CInt { outcome.status }

    /// Works until its order is done, or the task is cancelled.
    func work() async {
        await withTaskGroup(of: Void.self) { group in
            for await happening in happenings {
                switch happening {
                case .listening:
                    tellListening()
                    for session in await earlierSessions() { group.addTask { await self.watch(session, isNew: false) } }
                    await invite(&group)
                    if let seconds = order.seconds {
                        group.addTask {
                            try? await Task.sleep(for: .seconds(seconds))
                            self.happening.yield(.overdue)
                        }
                    }
                case .claimed(let session):
                    // Whose answer was lost comes again.
                    guard watched.insert(session.id).inserted else { continue }
                    group.addTask { await self.watch(session, isNew: true) }
                    if session.invite == shown {
                        shown = nil
                        if !order.isOnce { await invite(&group) }
                    }
                case .expired(let invite):
                    if invite == shown, order.seconds == nil {
                        teller.tell("expired", "The code has run out; here is another.", ["invite": .text("\(invite)")])
                        await self.invite(&group)
                    }
                case .locked(let invite):
                    if invite == shown {
                        teller.tell(
                            "locked", "Somebody guessed at the code's secret, too often; here is another code.",
                            ["invite": .text("\(invite)")])
                        await self.invite(&group)
                    }
                case .settled:
                    if order.isOnce {
                        group.cancelAll()
                        return
                    }
                case .overdue:
                    teller.tell("over", "The time is over.")
                    group.cancelAll()
                    return
                }
            }
            group.cancelAll()
        }
    }

    /// A code that nobody took is worth nothing any more.
    func close() async {
        if let shown { try? await reception.revoke(shown) }
        happening.finish()
    }

    // MARK: Invites

    private func invite(_ group: inout TaskGroup<Void>) async {
        do throws(ReceivingRefusal) {
            let fresh = try await reception.invite(terms)
            shown = fresh.id
            show(fresh)
            let life = Duration.seconds(max(1, fresh.expires.seconds - Timestamp.now.seconds + 1))
            group.addTask {
                guard (try? await Task.sleep(for: life)) != nil else { return }
                self.happening.yield(.expired(fresh.id))
            }
        } catch {
            teller.trouble(error.message, code: error.code)
        }
    }

    private func show(_ invite: FreshInvite) {
        let links = plan.shown.map { "\(plan.origin($0))/r/\(invite.id)#\(invite.secret)" }
        let isPlain = Self.isPlain
        // The address comes last: of what a screen has no room for, the first lines are gone.
        if let screen = teller.screen,
            let code = QRCode(links[0])?.lines(
                columns: screen.columns, rows: screen.rows - links.count - 1, isPlain: isPlain, isColored: true)
        {
            teller.show(code)
            for link in links.dropFirst() { teller.show(["or \(link)"]) }
            return tell(invite, links, "Scan this, or open \(links[0])")
        }
        for link in links.dropFirst() { teller.show(["or \(link)"]) }
        tell(invite, links, "Open \(links[0])")
    }

    private func tell(_ invite: FreshInvite, _ links: [String], _ sentence: String) {
        teller.tell(
            "invite", sentence,
            [
                "invite": .text("\(invite.id)"), "url": .text(links[0]), "urls": .texts(links),
                "expires": .number(invite.expires.seconds),
            ])
    }

    /// Neither colours nor half blocks are to be had.
    private static var isPlain: Bool {
        let environment = AppPaths().environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let isUnicode = locale.lowercased().replacing("-", with: "").contains("utf8")
        return !isUnicode || environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
    }

    private func tellListening() {
        let where_ = plan.shown.map(plan.origin).joined(separator: ", ")
        let whom = terms.destinations.joined(separator: ", ")
        teller.tell(
            "listening", "Receiving for \(whom) at \(where_); Ctrl-C ends it, and loses nothing.",
            [
                "urls": .texts(plan.shown.map(plan.origin)), "destinations": .texts(terms.destinations),
                "fingerprint": plan.fingerprintText.map { .text($0) }, "port": .number(Int64(plan.port)),
            ])
        if !plan.isSecure {
            teller.trouble(
                "This is plain http: whoever is on the same network can read along, and phones let their screens lock.",
                code: "insecure-http")
        } else if let fingerprint = plan.fingerprintText, order.certificate == nil {
            teller.show([
                "The phone warns once: this computer signed its own certificate. SHA-256:", fingerprint,
            ])
        }
    }

    // MARK: Sessions

    private func earlierSessions() async -> [ReceivingSession] {
        let invites = (try? await reception.invites()) ?? []
        return invites.flatMap(\.sessions).filter { session in
            !session.isExpired && (session.state == .open || session.state == .unconfirmed)
        }
    }

    private func watch(_ session: ReceivingSession, isNew: Bool) async {
        let device = session.device.isEmpty ? "A device" : session.device
        if isNew {
            teller.tell(
                "claimed", "\(device) came in.",
                [
                    "session": .number(session.id.rawValue), "invite": .text("\(session.invite)"),
                    "device": .text(device),
                ])
        }
        if session.state == .unconfirmed, await !confirm(session, device) { return }
        var watched = WatchedSession(session, device)
        let (settled, settle) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let quiet = Task { [happening] in
            var timer: Task<Void, Never>?
            for await isSettled in settled {
                timer?.cancel()
                guard isSettled else { continue }
                timer = Task {
                    guard (try? await Task.sleep(for: .seconds(20))) != nil else { return }
                    happening.yield(.settled(session.id))
                }
            }
            timer?.cancel()
        }
        // What came before this began was told then.
        var isOld = !isNew
        for await changes in reception.changes(of: session, after: nil) {
            let lines = watched.add(changes)
            if !isOld { for line in lines { teller.tell(line.event, line.sentence, line.facts) } }
            isOld = false
            outcome.note(watched)
            settle.yield(watched.isSettled)
        }
        settle.finish()
        await quiet.value
        // It ended, by its device or its owner, or its time is over.
        if !Task.isCancelled {
            teller.tell("left", "\(device) has left.", ["session": .number(session.id.rawValue)])
            happening.yield(.settled(session.id))
        }
    }

    /// Asks at the terminal whether the words are the same on both screens.
    private func confirm(_ session: ReceivingSession, _ device: String) async -> Bool {
        guard await asking.acquire() else { return false }
        defer { asking.release() }
        let words = session.words.joined(separator: " ")
        teller.tell(
            "confirm", "\(device) shows these words if it is the one you mean: \(words). Accept it? [y/N]",
            ["session": .number(session.id.rawValue), "words": .texts(session.words)])
        guard let answer = await TerminalAnswer.read() else { return false }
        let isYes = ["y", "yes"].contains(answer.lowercased())
        do throws(ReceivingRefusal) {
            if isYes { try await reception.confirm(session.id) } else { try await reception.decline(session.id) }
        } catch {
            teller.trouble(error.message, code: error.code)
            return false
        }
        teller.tell(
            isYes ? "confirmed" : "declined", isYes ? "\(device) may send." : "\(device) was turned away.",
            ["session": .number(session.id.rawValue)])
        return isYes
    }
}

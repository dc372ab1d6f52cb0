internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal

/// What is said to the person who signs in, and done with what comes of it.
struct LoginSession: Sendable {
    let keeper: LoginStore
    let session: Session
    let isJSON: Bool
    var limit: Duration?
    var choice = MethodChoice(wanted: nil, hasDesktop: true)
    /// Where secrets are typed.
    var input = TypedFields.Input.terminal
    /// Where answers may come as lines.
    var answers: CInt?
    let say: @Sendable (String) -> Void
    let open: @Sendable (String) -> Void

    private var name: String { keeper.name }

    /// - Returns: why it was not done; `nil` when it is.
    func signIn() async -> SubmitFailure? {
        do throws(SubmitFailure) {
            let method = try choice.method(among: keeper.facet.methods, at: name)
            let grant = try await grant(method)
            tell(grant, waiting: try await released())
            return nil
        } catch {
            return error
        }
    }

    private func grant(_ method: LoginMethod) async throws(SubmitFailure) -> LoginGrant {
        var client = LoginClient(name: "submit on \(Self.hostName)", method: method)
        let (deliveries, inbox) = AsyncStream.makeStream(of: LoginDelivery.self)
        var listener: LoopbackListener?
        if method == .browser {
            let new = try LoopbackListener(keeper.facet.redirect) { [self] target, reply in
                inbox.yield(
                    LoginDelivery(.redirected(target)) { outcome in
                        reply(LoginPage(outcome))
                        tell(outcome)
                    })
            }
            client.redirect = new.url
            listener = new
        }
        let typingFailure = Locked<SubmitFailure?>(nil)
        let lines = Locked<AnswerLines?>(nil)
        let outcome: Result<LoginGrant, SubmitFailure>
        do throws(SubmitFailure) {
            outcome = .success(
                try await keeper.login(of: session.manager, as: client, within: limit, answers: deliveries) { prompt in
                    show(prompt, client)
                    switch method {
                    case .browser, .paste:
                        guard let file = self.answers else { break }
                        let new = AnswerLines(from: file) { text in
                            inbox.yield(LoginDelivery(.pasted(text), reply: tell))
                        } end: {
                            if method == .paste { inbox.finish() }
                        }
                        lines.withLock { $0 = new }
                    case .typed:
                        type(prompt, inbox) { failure in typingFailure.withLock { $0 = failure } }
                    default: break
                    }
                })
        } catch {
            outcome = .failure(typingFailure.withLock { $0 } ?? error)
        }
        inbox.finish()
        lines.withLock { $0 }?.stop()
        await listener?.end()
        return try outcome.get()
    }

    /// Asks for what is to be typed, and hands it on.
    ///
    /// - Parameter fail: told why there is nothing to hand on, or why what was typed is not right.
    private func type(
        _ prompt: LoginPrompt, _ inbox: AsyncStream<LoginDelivery>.Continuation,
        fail: @escaping @Sendable (SubmitFailure) -> Void
    ) {
        defer { inbox.finish() }
        guard case .fill(let fields) = prompt.task else { return }
        do throws(SubmitFailure) {
            let typed = try TypedFields(fields, at: name).read(input)
            inbox.yield(
                LoginDelivery(.typed(typed)) { reply in
                    // It is typed once: nothing comes after it.
                    if case .ignored(let failure) = reply { fail(failure) }
                })
        } catch {
            fail(error)
        }
    }

    private func show(_ prompt: LoginPrompt, _ client: LoginClient) {
        let life = limit.map { min($0, prompt.life) } ?? prompt.life
        let text = PromptText(prompt: prompt, client: client, life: life, readsAnswers: answers != nil)
        if isJSON {
            say(JSONOutput.text(text.object(destination: name)))
        } else if !text.lines.isEmpty {
            say(text.lines.joined(separator: "\n"))
        }
        switch prompt.task {
        case .open(let url), .openAndReturn(let url), .openAndPaste(let url): open(url)
        case .typeCode(let code): open(code.completeURL ?? code.url)
        case .fill, .nothing: break
        }
    }

    /// Says what came of an answer, where the login goes on after it.
    @Sendable private func tell(_ reply: LoginReply) {
        let sentence: String
        switch reply {
        case .ignored(let failure): sentence = failure.advised(at: name)
        case .trying: sentence = "“\(name)” does not answer just now; it is tried again."
        case .signedIn, .failed: return
        }
        if isJSON {
            var object: [String: Any] = ["event": "answer", "destination": name, "message": sentence]
            if case .ignored(let failure) = reply { object["code"] = failure.code }
            say(JSONOutput.text(object))
        } else {
            say(Printable.line(sentence))
        }
    }

    /// Lets the destination go on.
    ///
    /// - Returns: how much is waiting for it.
    private func released() async throws(SubmitFailure) -> Int {
        do throws(SubmitFailure) {
            try await session.manager.credentialsRenewed(at: name)
            return try await session.journal.tallies(SubmissionSelection(destination: name))
                .filter { $0.state == .waiting || $0.state == .running }.reduce(0) { $0 + $1.count }
        } catch {
            throw SubmitFailure(.giveUp, code: error.code, message: error.message)
        }
    }

    private func tell(_ grant: LoginGrant, waiting: Int) {
        if isJSON {
            var object: [String: Any] = [
                "event": "signed-in", "destination": name, "account": grant.account, "waiting": waiting,
            ]
            if !grant.notices.isEmpty { object["notices"] = grant.notices }
            return say(JSONOutput.text(object))
        }
        let place = (try? keeper.catalog.credentials.place.title) ?? "the secrets"
        say(
            Printable.line(
                "“\(grant.account)” is signed in at \(name); the login is kept in \(place)."))
        for notice in grant.notices { say(Printable.line(notice)) }
        if waiting > 0 {
            say("\(Printable.count(waiting, "submission")) waiting for \(name): `submit resume` goes on.")
        }
    }

    /// As far as a header and a page can show it.
    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        gethostname(&bytes, bytes.count - 1)
        let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let shown = name.filter { (0x21...0x7e).contains($0) }.prefix(64)
        return shown.isEmpty ? "a computer" : String(decoding: shown, as: UTF8.self)
    }
}

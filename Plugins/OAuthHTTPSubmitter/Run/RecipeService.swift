internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitRecipes

/// One destination's service: sends what a recipe describes, and says what the answers mean.
struct RecipeService: Sendable {
    let recipe: Recipe
    let hosts: RecipeHosts
    let credentials: RecipeCredentials
    let transport: any HTTPTransport
    /// The destination's name.
    let destination: String
    let clock: @Sendable () -> Timestamp

    /// How often one request is sent on by redirects.
    private static let mostHops = 5

    /// One request with what is expected of its answer.
    struct Call {
        var request: Recipe.Request
        var captures: [Recipe.Capture] = []
        var isRight: Formula?
        var treatAsRight: [Recipe.StatusRule] = []
        /// The step's id: under it captures stand.
        var name: String?
        /// One of several of a loop: what is captured adds to what was.
        var isPiece = false
        /// Captures may be missing: there is more to come.
        var isUnfinished = false
        /// Doing it twice may show.
        var isDelicate = false
        /// It does nothing, and what follows depends on what the answer says.
        var isQuestion = false
        /// That is read from its body, besides captures.
        var readsBody = false
        var range: Range<Int64>?
        var sent: (@Sendable (Int64) -> Void)?
    }

    /// What came of a call.
    struct Exchange: Sendable {
        var answer: ServiceAnswer
        var captured: [String: RecipeValue]
        /// The answer says that the item was there before.
        var isDuplicate = false
    }

    /// A call that came to nothing.
    struct Trouble: Error, Sendable {
        var failure: SubmitFailure
        /// The service may have done what was asked, and we were not told.
        var mayHaveActed = false
        var kind: Recipe.ErrorRule.Class?
        /// By a rule of the recipe.
        var isRuled = false
        var answer: ServiceAnswer?
    }

    /// Sends a request and looks at the answer.
    ///
    /// - Parameters:
    ///   - scope: gets the answer's names, and the captures under the call's.
    ///   - file: whose submission it is about; `nil` for none.
    func exchange(_ call: Call, in scope: inout ExpressionScope, file: SentFile?) async throws(Trouble) -> Exchange {
        scope["now"] = .integer(clock().seconds)
        var file = file
        file?.range = call.range
        let outgoing: OutgoingRequest
        do throws(RecipeFault) {
            let signs = recipe.signsMultipartText
            outgoing = try call.request.outgoing(in: scope, file: file, signsMultipartText: signs) {
                (url, isGiven) throws(RecipeFault) in
                try hosts.absolute(url, isGiven: isGiven, at: call.request.place)
            }
        } catch {
            throw Trouble(failure: error.failure(recipe, at: destination, file: file?.item.name))
        }
        var request = outgoing.request
        request.isSentOnce = call.isDelicate
        let answer = try await send(request, outgoing.credential, call, file: file?.item.name)
        return try judge(answer, call, in: &scope, file: file?.item.name)
    }

    // MARK: Sending

    private func send(
        _ outgoing: HTTPRequest, _ credential: Recipe.Credential, _ call: Call, file: String?
    ) async throws(Trouble) -> ServiceAnswer {
        // The credentials' transports look at each hop on its own, and at the origin that it goes to.
        let transport =
            switch credential {
            case .none: self.transport
            case .standard: credentials.standard
            case .kept(let name): credentials.kept(name)
            }
        var request = outgoing
        let length = request.body.length ?? 0
        // How much of a body went out tells what can have been done when a request is broken off.
        let progress = Locked<Int64>(0)
        request.sent = { count in
            progress.withLock { $0 = max($0, count) }
            call.sent?(count)
        }
        for _ in 0...Self.mostHops {
            let response: HTTPResponse
            do throws(HTTPFailure) {
                response = try await transport.send(request)
            } catch {
                let host = RecipeHosts.origin(of: request.url)?.authority ?? hosts.name
                let isWhole = progress.withLock { $0 } >= length
                var failure = error.submitFailure(after: request, host: host, file: file)
                if failure.code == HTTPFailure.noAnswerCode {
                    failure.message =
                        "“\(host)” received all of “\(file ?? "")” and did not answer in time: it is tried again."
                }
                throw Trouble(
                    failure: failure,
                    mayHaveActed: error.mayHaveActed(isWhole: isWhole))
            }
            // Where the recipe expects to be sent elsewhere, that is what it wants to hear.
            if call.request.expects(response.status) { return ServiceAnswer(response) }
            switch Redirect(request, response) {
            case .none: return ServiceAnswer(response)
            case .refuse(let sentence):
                throw Trouble(failure: misconfigured("redirected", sentence), mayHaveActed: response.isAnswerElsewhere)
            case .follow(let next):
                guard let from = RecipeHosts.origin(of: request.url), let to = RecipeHosts.origin(of: next.url),
                    from.host == to.host, hosts.allow(next.url) || to.isSecure && to.port == 443
                else {
                    let there = RecipeHosts.origin(of: next.url)?.authority ?? "elsewhere"
                    throw Trouble(
                        failure: misconfigured(
                            "redirected",
                            "“\(hosts.name)” sends us on to “\(there)”, which is not followed: if the service has moved "
                                + "there, change the destination's settings or its recipe."),
                        mayHaveActed: response.isAnswerElsewhere)
                }
                request = next
            }
        }
        throw Trouble(
            failure: misconfigured(
                "redirected",
                "“\(hosts.name)” sent us on more than \(Self.mostHops) times: check the destination's settings."))
    }

    func misconfigured(_ code: String, _ sentence: String) -> SubmitFailure {
        SubmitFailure(.hold(.misconfigured, after: nil), code: code, message: sentence)
    }

    // MARK: Judging

    private func judge(
        _ answer: ServiceAnswer, _ call: Call, in scope: inout ExpressionScope, file: String?
    ) throws(Trouble) -> Exchange {
        do {
            var captured = call.isPiece ? call.name.flatMap { scope[$0] }?.members ?? [:] : [:]
            var missing: Recipe.Capture?
            for capture in call.captures {
                var value = answer.value(of: capture.source)
                if value == .null, let fallback = capture.defaultValue { value = try fallback.evaluate(in: scope) }
                if value == .null {
                    // What an earlier answer of the same loop said stays.
                    if capture.isRequired, capture.defaultValue == nil, captured[capture.name] == nil {
                        missing = capture
                    }
                    continue
                }
                captured[capture.name] = value
            }
            answer.stand(in: &scope)
            scope[call.name ?? "captured"] = .map(captured)
            var exchange = Exchange(answer: answer, captured: captured)
            for rule in call.treatAsRight {
                if try rule.matches(answer, in: scope) { return exchange }
            }
            let (kind, rule) = try self.kind(of: answer, in: scope)
            let isExpected = call.request.expects(answer.status)
            if isExpected, try call.isRight?.isTrue(in: scope) ?? true {
                if let failure = unanswered(call, answer, rule, file: file) {
                    throw Trouble(failure: failure, mayHaveActed: true, answer: answer)
                }
                if !call.isQuestion || rule == nil || !(200...299).contains(answer.status) {
                    guard let missing, !call.isUnfinished else { return exchange }
                    throw Trouble(failure: nonsense(answer, missing, file: file), mayHaveActed: true, answer: answer)
                }
            } else if isExpected, rule == nil, answer.isGarbled || answer.holdsPage || answer.isEmpty {
                throw Trouble(failure: garbled(answer, file: file), mayHaveActed: true, answer: answer)
            }
            if kind == .duplicate {
                exchange.isDuplicate = true
                return exchange
            }
            // Servers in between say such things too, after they have handed a request on. A service that asks for
            // patience by a time has not; a page that does so is of a cache before it, which lost patience itself. Where
            // 200 is the status of all answers, it is that of these, too.
            let isDoubtful =
                answer.status >= 500 && [.retry, .restart, .fatal].contains(kind)
                && !(answer.status == 503 && answer.header("Retry-After") != nil && !answer.isPage)
                || (200...299).contains(answer.status) && kind == .retry
                || rule == nil && (200...399).contains(answer.status) && !call.request.expects(answer.status)
            throw Trouble(
                failure: try failure(kind, rule, answer, call, in: scope, file: file), mayHaveActed: isDoubtful,
                kind: kind, isRuled: rule != nil, answer: answer)
        } catch let trouble as Trouble {
            throw trouble
        } catch {
            let fault = error as? RecipeFault ?? RecipeFault(call.request.place, "It cannot be followed.")
            throw Trouble(
                failure: fault.failure(recipe, at: destination, file: file), mayHaveActed: true, answer: answer)
        }
    }

    /// Demands that what must be captured was.
    func demand(
        _ captures: [Recipe.Capture], in captured: RecipeValue, _ answer: ServiceAnswer, file: String?
    ) throws(Trouble) {
        for capture in captures where capture.isRequired && captured.member(.text(capture.name)) == .null {
            throw Trouble(failure: nonsense(answer, capture, file: file), mayHaveActed: true, answer: answer)
        }
    }

    private func kind(
        of answer: ServiceAnswer, in scope: ExpressionScope
    ) throws(RecipeFault) -> (Recipe.ErrorRule.Class, Recipe.ErrorRule?) {
        try recipe.kind(of: answer, in: scope)
    }

    /// What is wrong with an answer of a right status that says nothing of what was asked; `nil` where it does.
    ///
    /// A page is nobody's answer that something is to be read from, and a sign-in page of a network is none at all.
    private func unanswered(
        _ call: Call, _ answer: ServiceAnswer, _ rule: Recipe.ErrorRule?, file: String?
    ) -> SubmitFailure? {
        guard (200...299).contains(answer.status) else { return nil }
        let reads = call.isQuestion || call.isUnfinished || call.isRight != nil || !call.captures.isEmpty
        if answer.holdsPage, answer.status == 200 || reads {
            let readsText = call.captures.contains { $0.source == .text }
            return page(answer, file.map { "“\($0)” was not sent: " } ?? "", readsText: readsText)
        }
        let looksInside = call.readsBody || call.captures.contains { $0.source.isInDocument }
        guard call.isQuestion, answer.isGarbled || answer.isEmpty && looksInside else { return nil }
        return garbled(answer, file: file)
    }

    /// An answer that was cut off, or into which others wrote: the next one may be whole.
    private func garbled(_ answer: ServiceAnswer, file: String?) -> SubmitFailure {
        let about = file.map { "“\($0)” was not sent: " } ?? ""
        if answer.holdsPage { return page(answer, about) }
        return SubmitFailure(
            .retry(after: nil), code: "bad-answer",
            message:
                "\(about)\(recipe.title) (\(hosts.name)) answered \(answer.status) with nothing that can be read: it is "
                + "tried again.")
    }

    /// A right answer in which something is not that should be.
    private func nonsense(_ answer: ServiceAnswer, _ capture: Recipe.Capture, file: String?) -> SubmitFailure {
        let about = file.map { "“\($0)” was not sent: " } ?? ""
        if answer.isPage { return page(answer, about, readsText: capture.source == .text) }
        if answer.isEmpty, capture.source.isInBody { return garbled(answer, file: file) }
        if answer.isGarbled, capture.source.isInDocument { return garbled(answer, file: file) }
        return SubmitFailure(
            .giveUp, code: "bad-answer",
            message:
                "\(about)\(recipe.title) (\(hosts.name)) answered \(answer.status) without the “\(capture.name)” that the "
                + "recipe looks for (\(capture.place)): the service may have changed, look for a newer recipe.")
    }

    /// - Parameter readsText: whether the recipe captures the answer's text, which may be meant to be a page.
    func page(_ answer: ServiceAnswer, _ about: String, readsText: Bool = false) -> SubmitFailure {
        misconfigured(
            "not-the-service",
            "\(about)“\(hosts.name)” answers with a web page (\(answer.status)) where \(recipe.title) would not: check the "
                + "destination's URL, and whether this network wants a sign-in of its own."
                + (readsText
                    ? " If the page is the right answer: a recipe can't read web pages, not even by “text: true”." : "")
        )
    }

    private func failure(
        _ kind: Recipe.ErrorRule.Class, _ rule: Recipe.ErrorRule?, _ answer: ServiceAnswer, _ call: Call,
        in scope: ExpressionScope,
        file: String?
    ) throws(RecipeFault) -> SubmitFailure {
        let about = file.map { "“\($0)” was not sent: " } ?? ""
        if kind == .fatal, rule == nil, answer.isPage { return page(answer, about) }
        let words = answer.words.map { " “\($0)”" } ?? ""
        let said = "\(recipe.title) (\(hosts.name)) answered \(answer.status)\(words)"
        // By the service's clock, as its dates are; ours may be wrong.
        var scope = scope
        if let date = answer.date(now: clock()) { scope["now"] = .integer(date.seconds) }
        let wait =
            try rule?.wait?.integer(in: scope).map { Duration.seconds(min(max(0, $0), 7 * 86_400)) }
            ?? answer.wait(now: clock())
        let (remedy, code, advice): (Remedy, String, String) =
            switch kind {
            case .retry where answer.status >= 500:
                (.tryAnother(after: wait), "service", "it is tried again")
            case .retry: (.retry(after: wait), "service", "it is tried again")
            case .restart:
                (.retry(after: wait), "restart", "it begins again from the start")
            case .throttle:
                (.hold(.throttled, after: wait), "throttled", "it asks to slow down, and sending goes on later")
            case .refresh, .relogin:
                (.renewCredentials, "credentials", "sign in again at “\(destination)”")
            case .quota: (.hold(.full, after: wait), "full", "make room at “\(destination)”")
            case .tooLarge: (.giveUp, "too-large", "it is too large for \(recipe.title)")
            case .unsupported: (.giveUp, "unsupported", "\(recipe.title) takes no such file")
            case .fatal, .duplicate:
                (.giveUp, "refused", "see what it says, and check the file and the settings of “\(destination)”")
            }
        if let say = try rule?.say?.text(in: scope) {
            return SubmitFailure(remedy, code: code, message: "\(about)\(KnownSecrets.redacted(say)) (\(said).)")
        }
        return SubmitFailure(remedy, code: code, message: "\(about)\(said): \(advice).")
    }
}

extension HTTPResponse {
    /// What was asked for may be done: its answer is to be had at another place (RFC 9110, section 15.4).
    fileprivate var isAnswerElsewhere: Bool { (301...303).contains(status) }
}

extension Recipe.Request {
    func expects(_ status: Int) -> Bool {
        expected.isEmpty ? (200...299).contains(status) : expected.contains { $0.contains(status) }
    }
}

extension Recipe.Capture.Source {
    /// It looks into a body of JSON or XML.
    fileprivate var isInDocument: Bool {
        switch self {
        case .json, .xml: true
        case .header, .text, .form: false
        }
    }

    fileprivate var isInBody: Bool { if case .header = self { false } else { true } }
}

extension Recipe.StatusRule {
    func matches(_ answer: ServiceAnswer, in scope: ExpressionScope) throws(RecipeFault) -> Bool {
        guard statuses.isEmpty || statuses.contains(where: { $0.contains(answer.status) }) else { return false }
        return try when?.isTrue(in: scope) ?? true
    }
}

extension RecipeValue {
    /// Of a map.
    var members: [String: RecipeValue]? {
        if case .map(let members) = self { members } else { nil }
    }
}

extension HTTPFailure {
    /// Whether the service may have done what the request asks for.
    ///
    /// - Parameter isWhole: all of the body had been handed to the network.
    fileprivate func mayHaveActed(isWhole: Bool) -> Bool {
        switch self {
        case .stalled(let afterBody), .broken(_, let afterBody): afterBody
        case .badAnswer: true
        case .cancelled: isWhole
        case .unknownHost, .cannotConnect, .untrusted, .proxy, .badRequest, .throttled, .refusedRedirect,
            .refusedAuthentication, .credentials, .clientCertificate, .body:
            false
        }
    }
}

extension Recipe {
    /// What an answer means that is none of those hoped for, and by which rule.
    func kind(
        of answer: ServiceAnswer, in scope: ExpressionScope
    ) throws(RecipeFault) -> (ErrorRule.Class, ErrorRule?) {
        for rule in errors {
            guard rule.statuses.isEmpty || rule.statuses.contains(where: { $0.contains(answer.status) }) else {
                continue
            }
            if try rule.when?.isTrue(in: scope) ?? true { return (rule.kind, rule) }
        }
        switch answer.status {
        case 401: return (.refresh, nil)
        case 408, 425: return (.retry, nil)
        case 413: return (.tooLarge, nil)
        case 415: return (.unsupported, nil)
        case 429: return (.throttle, nil)
        case 507: return (.quota, nil)
        case 500...: return (.retry, nil)
        default: return (.fatal, nil)
        }
    }

    /// Whether an answer says that other credentials are needed: what a token is renewed for.
    func isRefusal(_ response: HTTPResponse) -> Bool {
        guard response.status == 401 || errors.contains(where: { $0.kind == .refresh }) else { return false }
        let answer = ServiceAnswer(response)
        var scope = ExpressionScope()
        scope["now"] = .integer(Timestamp.now.seconds)
        answer.stand(in: &scope)
        // A rule that speaks of what is not known here is about other trouble.
        guard let (kind, _) = try? kind(of: answer, in: scope) else { return response.status == 401 }
        return kind == .refresh
    }
}

extension Recipe {
    /// The text fields of multipart bodies are signed.
    var signsMultipartText: Bool {
        if case .oauth1(let description) = authorization { description.signsMultipartText } else { false }
    }
}

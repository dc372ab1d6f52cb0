internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

extension Conversation {
    /// Takes a line that the program wrote.
    func hear(_ line: [UInt8]) {
        let (isDeaf, kinds) = state.withLock { state in
            (state.end != nil, state.open.mapValues(\.request.kind))
        }
        if isDeaf { return }
        let message: SubmitterMessage
        do throws(MalformedMessage) {
            message = try SubmitterMessage(line: line, requests: kinds)
        } catch {
            return end(.misbehaved("wrote a line that is no message of the protocol (\(error.complaint))"))
        }
        trace(message, line)
        do throws(ProtocolViolation) {
            try take(message)
        } catch {
            end(.misbehaved(error.story))
        }
    }

    private func take(_ message: SubmitterMessage) throws(ProtocolViolation) {
        switch message {
        case .done(let id, let outcome):
            let (open, trust) = try openRequest(id)
            close(id, .success(try trust.checked(outcome, of: open.request)))
        case .failed(let id, let failure):
            let (open, trust) = try openRequest(id)
            close(id, .failure(trust.checked(failure, wasCancelled: open.cancelDeadline != nil)))
        case .unsupported(let id):
            let (open, _) = try openRequest(id)
            switch open.request {
            case .hello, .configure: throw ProtocolViolation("does not know “\(open.request.kind.rawValue)”")
            default: close(id, .success(nil))
            }
        case .progress(let id, let sent, let landed):
            let (open, _) = try openRequest(id)
            sign(id)
            open.attempt?.advance(sent: sent, landed: landed)
        case .question(let number, let question):
            try take(question, number)
        case .log(let text):
            let line = state.withLock({ $0.texts }).line(text)
            state.withLock { state in
                if state.log.count == Self.longestLog { state.log.removeFirst() }
                state.log.append(line)
            }
            logger(of: nil).debug("plug-in says", metadata: ["program": .string(program.name), "text": .string(line)])
        case .unknown(_, question: let number?):
            try register(number, of: nil)
            reply(.unsupported(question: number), to: number)
        case .unknown(_, question: nil):
            break
        }
    }

    private func openRequest(_ id: Int) throws(ProtocolViolation) -> (OpenRequest, OutcomeValidator) {
        let found = state.withLock { state -> (OpenRequest, OutcomeValidator)? in
            guard let open = state.open[id] else { return nil }
            return (open, OutcomeValidator(texts: state.texts, type: state.type))
        }
        guard let found else { throw ProtocolViolation("spoke of a request that is not open (\(id))") }
        return found
    }

    private func close(_ id: Int, _ end: OpenRequest.End) {
        let open = state.withLock { state -> OpenRequest? in
            if case .success(.hello(let type)??) = end.map(Optional.some) { state.type = type }
            return state.open.removeValue(forKey: id)
        }
        open?.attempt?.close()
        open?.finish(end)
    }

    /// A sign of life; where it is of no request, of all.
    private func sign(_ id: Int?) {
        let now = clock.now()
        state.withLock { state in
            if let id {
                state.open[id]?.lastSign = now
            } else {
                for id in state.open.keys { state.open[id]?.lastSign = now }
            }
        }
    }

    // MARK: Questions

    private func register(_ number: Int, of id: Int?) throws(ProtocolViolation) {
        sign(id)
        let complaint = state.withLock { state -> String? in
            guard state.questions.count < Self.mostQuestions else {
                return "asked more than \(Self.mostQuestions) questions at once"
            }
            guard state.used.use(number) else { return "used the number of a question again (\(number))" }
            state.questions[number] = .some(id)
            if let id { state.open[id]?.unanswered += 1 }
            return nil
        }
        if let complaint { throw ProtocolViolation(complaint) }
    }

    private func take(_ question: HostQuestion, _ number: Int) throws(ProtocolViolation) {
        switch question {
        case .secret(let name):
            try register(number, of: nil)
            reply(answer(secret: name, number), to: number)
        case .note(let topic):
            try register(number, of: nil)
            let notes = state.withLock { $0.settings?.notes }
            noting.add { [self] in
                let note = await notes?.read(topic).flatMap { String(validating: $0, as: UTF8.self) }
                reply(.answer(question: number, note.map { .text($0) } ?? .nothing), to: number)
            }
        case .keepNote(let topic, let text):
            try register(number, of: nil)
            let (notes, texts) = state.withLock { ($0.settings?.notes, $0.texts) }
            guard topic.utf8.count <= 200, text.map(texts.hidesSecrets) ?? true else {
                return reply(.denied(question: number, Self.notKept("A note")), to: number)
            }
            noting.add { [self] in
                await notes?.write(topic, text.map { Array($0.utf8) })
                reply(.answer(question: number, .nothing), to: number)
            }
        case .checkpoint(let id, let text):
            let attempt = try attempt(id, number)
            guard text.map(state.withLock({ $0.texts }).hidesSecrets) ?? true else {
                return reply(.denied(question: number, Self.notKept("A checkpoint")), to: number)
            }
            attempt.keeping.add { [self] in reply(await attempt.keep(text), to: number) }
        case .read(let id, let offset, let length):
            let attempt = try attempt(id, number)
            Task { reply(attempt.read(offset, length), to: number) }
        case .unchanged(let id):
            let attempt = try attempt(id, number)
            // A look at an open file: not worth a task.
            reply(attempt.verifyUnchanged(), to: number)
        }
    }

    private static func notKept(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "submitter-misbehaved",
            message: "\(what) was not kept because it holds a secret or is too long: mend the program.")
    }

    private func attempt(_ id: Int, _ number: Int) throws(ProtocolViolation) -> HostedAttempt {
        let (open, _) = try openRequest(id)
        guard let attempt = open.attempt else {
            throw ProtocolViolation("asked for an item of a request that has none (\(id))")
        }
        try register(number, of: id)
        return attempt
    }

    private func answer(secret name: String, _ number: Int) -> HostMessage {
        let (type, settings) = state.withLock { ($0.type, $0.settings) }
        guard let settings, type?.settings.contains(where: { $0.name == name && $0.kind == .secret }) == true else {
            return .denied(
                question: number,
                SubmitFailure(
                    .hold(.misconfigured, after: nil), code: "configuration",
                    message: "The program asked for a secret that is none of its settings: mend it."))
        }
        return .answer(question: number, settings.secret(name).map { .text($0) } ?? .nothing)
    }

    private func reply(_ result: Result<HostAnswer, SubmitFailure>, to number: Int) {
        switch result {
        case .success(let answer): reply(.answer(question: number, answer), to: number)
        case .failure(let failure): reply(.denied(question: number, failure), to: number)
        }
    }

    private func reply(_ message: HostMessage, to number: Int) {
        let line = message.line
        trace(message, of: state.withLock { $0.questions[number] ?? nil })
        let now = clock.now()
        state.withLock { state in
            guard state.end == nil else { return }
            if case .some(.some(let id)) = state.questions[number] {
                state.open[id]?.unanswered -= 1
                state.open[id]?.lastSign = now
            }
            state.outgoing.append(line, replyingTo: number)
        }
        write()
        // While it waited for us, nothing was due.
        ringInTime()
    }
}

/// Something that the protocol does not allow, as the end of a sentence that begins with the program.
struct ProtocolViolation: Error, Hashable {
    let story: String

    init(_ story: String) {
        self.story = story
    }
}

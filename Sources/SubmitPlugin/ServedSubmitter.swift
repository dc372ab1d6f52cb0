internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol
internal import SystemPackage

/// A type and, once it is configured, its submitter, doing what the host asks.
final class ServedSubmitter: Sendable {
    private enum Phase {
        case new
        case described
        case configuring
        case configured(any Submitter, Facets)
    }

    private let type: SubmitterType
    private let silenceSeconds: Int
    private let writer: LineWriter
    private let questions: Questions
    private let phase = Locked(Phase.new)
    private let logger: Logger
    private let login = Locked<(any LoginAttempt)?>(nil)

    init(_ type: SubmitterType, silenceSeconds: Int, writer: LineWriter, questions: Questions) {
        self.type = type
        self.silenceSeconds = silenceSeconds
        self.writer = writer
        self.questions = questions
        logger = HostLog.logger(writer)
    }

    /// What came of a request; `nil` where the submitter does not have that verb.
    func outcome(of request: HostRequest, id: Int) async throws(SubmitFailure) -> RequestOutcome? {
        try await withLogger(logger) { _ async throws(SubmitFailure) in try await heardOutcome(of: request, id: id) }
    }

    private func heardOutcome(of request: HostRequest, id: Int) async throws(SubmitFailure) -> RequestOutcome? {
        switch request {
        case .hello(let versions, _):
            return .hello(try describe(versions))
        case .configure(let destination, let settings, let secrets):
            return .configured(try await configure(destination, settings, secrets))
        default:
            guard case .configured(let submitter, let facets) = phase.withLock({ $0 }) else {
                throw .disorder("asks for something before it is configured")
            }
            return try await outcome(of: request, id: id, submitter, facets)
        }
    }

    private func describe(_ versions: [Int]) throws(SubmitFailure) -> TypeDescription {
        guard let version = PluginProtocol.versions.first(where: versions.contains) else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "protocol-version",
                message:
                    "The submitter “\(type.name)” and the program that started it speak no version of the protocol in "
                    + "common: update the older one.")
        }
        phase.withLock { phase in
            if case .new = phase { phase = .described }
        }
        return TypeDescription(
            version: version, summary: type.summary, capabilities: type.capabilities, settings: type.settings,
            silenceSeconds: silenceSeconds)
    }

    private func configure(
        _ destination: String, _ values: [String: String], _ secrets: Set<String>
    ) async throws(SubmitFailure) -> ConfiguredDescription {
        try phase.withLock { phase throws(SubmitFailure) in
            guard case .described = phase else { throw .disorder("configures it twice or before it says hello") }
            phase = .configuring
        }
        do throws(SubmitFailure) {
            var texts: [String: String] = [:]
            for name in secrets.sorted() { texts[name] = await questions.ask(.secret(name)).text }
            let submitter = try type.make(
                DestinationSettings(
                    destination: destination, values: values, secrets: texts, notes: HostNotes(questions: questions)))
            let facets = submitter.facets
            phase.withLock { $0 = .configured(submitter, facets) }
            return ConfiguredDescription(submitter, facets, of: type)
        } catch {
            phase.withLock { $0 = .described }
            throw error
        }
    }

    private func outcome(
        of request: HostRequest, id: Int, _ submitter: any Submitter, _ facets: Facets
    ) async throws(SubmitFailure) -> RequestOutcome? {
        switch request {
        case .hello, .configure:
            return nil
        case .check:
            return .text(try await submitter.check())
        case .submit(let attempt):
            let progress = RequestProgress(id: id, writer: writer)
            defer { progress.end() }
            let receipt = try await submitter.submit(
                attempt.item, bytes: SourceBytes(attempt, id: id, questions: questions, progress: progress),
                context: context(attempt, id: id, progress))
            return .receipt(receipt)
        case .discard(let attempt):
            let progress = RequestProgress(id: id, writer: writer)
            defer { progress.end() }
            try await submitter.discard(attempt.item, context: context(attempt, id: id, progress))
            return .nothing
        case .presence(let item, let receipt, let verification):
            guard let facet = facets.presence else { return nil }
            if verification == .readback { return .presence(await facet.presenceReadBack(of: item, receipt: receipt)) }
            return .presence(await facet.presence(of: item, receipt: receipt))
        case .albums:
            guard let facet = facets.albums else { return nil }
            return .albums(try await facet.list())
        case .createAlbum(let album):
            guard let facet = facets.albums else { return nil }
            try await facet.create(album)
        case .link(let receipt, let seconds):
            guard let facet = facets.links else { return nil }
            return .link(try await facet.link(to: receipt, validFor: .seconds(seconds)))
        case .leftovers(let sparing):
            guard let facet = facets.leftovers else { return nil }
            let checkpoints = sparing.map { Checkpoint(data: CheckpointText.bytes($0)) }
            return .leftovers(try await facet.list(sparing: checkpoints))
        case .removeLeftover(let leftover):
            guard let facet = facets.leftovers else { return nil }
            try await facet.remove(leftover)
        case .remove(let receipt):
            guard let facet = facets.removal else { return nil }
            try await facet.remove(receipt)
        case .removeAlbum(let album):
            guard let facet = facets.removal else { return nil }
            try await facet.removeAlbum(album)
        case .beginLogin(let client):
            guard let facet = facets.login else { return nil }
            let attempt = try await facet.begin(LoginClient(name: client))
            login.withLock { $0 = attempt }
            return .loginBegun(attempt.prompt)
        case .pollLogin:
            guard facets.login != nil else { return nil }
            guard let attempt = login.withLock({ $0 }) else { throw .disorder("asks for a login that was not begun") }
            return .login(try await attempt.poll())
        case .logout:
            guard let facet = facets.login else { return nil }
            return .logout(try await facet.revoke())
        }
        return .nothing
    }

    private func context(
        _ attempt: AttemptDescription, id: Int, _ progress: RequestProgress
    ) -> SubmissionContext {
        var context = SubmissionContext(
            submission: attempt.submission, attempt: attempt.attempt, options: attempt.options,
            checkpoint: attempt.checkpoint.map { Checkpoint(data: CheckpointText.bytes($0)) },
            keep: { await self.keep($0, id: id, progress) }, sent: { progress.sent($0) },
            landed: { progress.landed($0) })
        context.disproved = attempt.disproved
        context.logger = logger
        return context
    }

    private func keep(
        _ checkpoint: Checkpoint?, id: Int, _ progress: RequestProgress
    ) async -> Result<Void, SubmitFailure> {
        var text: String?
        if let checkpoint {
            text = CheckpointText.text(checkpoint.data)
            if text == nil {
                return .failure(
                    SubmitFailure(
                        .giveUp, code: "checkpoint-too-long",
                        message:
                            "The submitter “\(type.name)” keeps a checkpoint of \(checkpoint.data.count) bytes, more than the "
                            + "\(PluginProtocol.longestCheckpoint) of text it may be: report it as the submitter's fault."
                    ))
            }
        }
        progress.tell()
        return await questions.ask(.checkpoint(id: id, text)).needed.map { _ in }
    }
}

extension ConfiguredDescription {
    fileprivate init(_ submitter: any Submitter, _ facets: Facets, of type: SubmitterType) {
        self.init(capabilities: submitter.capabilities == type.capabilities ? nil : submitter.capabilities)
        if facets.albums != nil { self.facets.insert(.albums) }
        if facets.presence != nil { self.facets.insert(.presence) }
        if facets.leftovers != nil { self.facets.insert(.leftovers) }
        if facets.removal != nil { self.facets.insert(.removal) }
        if let links = facets.links {
            self.facets.insert(.links)
            longestLink = Int(clamping: links.longestLife.components.seconds)
        }
        if let login = facets.login {
            self.facets.insert(.login)
            loginSecrets = login.secrets
        }
    }
}

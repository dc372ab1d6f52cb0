internal import Submit
internal import SubmitPrograms

/// Puts media items wherever a program puts them: any that takes a file, with its exit status as the receipt.
///
/// What the program does not tell is not known: whether the copy is whole, whether other bytes had the name, what a broken
/// attempt left. A second program may look for the copy; see ``CommandCopies``.
struct CommandSubmitter: Submitter {
    let capabilities: Capabilities
    let facets: Facets

    private let destination: String
    private let run: CommandLineTemplate
    private let copies: CommandCopies
    private let isRepeatable: Bool
    private let life: Duration

    init(
        destination: String, run: CommandLineTemplate, present: CommandLineTemplate?, remove: CommandLineTemplate?,
        albums: CommandLineTemplate?, isRepeatable: Bool, life: Duration, jobs: Int
    ) {
        self.destination = destination
        self.run = run
        self.isRepeatable = isRepeatable
        self.life = life
        copies = CommandCopies(destination: destination, present: present, remove: remove, life: life)
        capabilities = Self.capabilities(jobs: jobs, albums: albums != nil)
        facets = Facets(
            albums: albums.map { CommandAlbums(destination: destination, list: $0, life: life) },
            presence: present == nil ? nil : copies, removal: remove == nil ? nil : copies)
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let id = ItemValues.id(item, context)
        let values = ItemValues.values(item, context)
        try bytes.verifyUnchanged()
        let before = await copies.look(item, values)
        if Task.isCancelled { throw .cancelled }
        if case .present(let evidence) = before {
            try await forget(context)
            return Receipt(remoteID: id, evidence: evidence, wasThere: true)
        }
        if !isRepeatable, context.checkpoint != nil, before != .absent { throw outcomeUnknown(item) }
        let output = try await send(item, bytes, context, values)
        let url = Self.url(in: output)
        do throws(SubmitFailure) {
            try bytes.verifyUnchanged()
        } catch {
            try await copies.removeCopy(values.merging(["url": url ?? ""]) { $1 })
            throw error
        }
        context.sent(item.size)
        return Receipt(remoteID: id, url: url, evidence: try await proof(item, values))
    }

    /// Runs the program, and gives back the beginning of what it printed.
    private func send(
        _ item: MediaItem, _ bytes: any MediaBytes, _ context: SubmissionContext, _ values: [String: String]
    ) async throws(SubmitFailure) -> [UInt8] {
        let file = try AcceptedFile(item, bytes)
        var values = values
        values["path"] = file.path
        if !isRepeatable { try await context.keep(Checkpoint(data: Array("run".utf8))) }
        let end: ProgramResult
        do throws(SubmitFailure) {
            end = try await ProgramCall(
                run.program, run.arguments(values), environment: ItemValues.environment(values),
                inheritsEnvironment: true, life: life
            ).run()
        } catch {
            if !isRepeatable, ProgramCall.neverRan(error) { try await context.keep(nil) }
            throw error
        }
        guard let failure = SubmitFailure.command(end, run.program, item, at: destination) else {
            withExtendedLifetime(file) {}
            return end.output
        }
        guard !isRepeatable else { throw failure }
        // A status is the program's word that nothing was stored; a signal is no word.
        guard case .exited = end.status else { throw outcomeUnknown(item) }
        try await context.keep(nil)
        throw failure
    }

    private func proof(_ item: MediaItem, _ values: [String: String]) async throws(SubmitFailure) -> Evidence {
        switch await copies.look(item, values) {
        case .present(let evidence): return evidence
        case .unknown: return .unknown
        case .absent, .changed:
            throw SubmitFailure(
                .retry(after: nil), code: "not-there",
                message: "“\(item.name)” is not at \(destination), though \(run.program) ended with the status 0; "
                    + "see what it does with it.")
        }
    }

    private func forget(_ context: SubmissionContext) async throws(SubmitFailure) {
        if context.checkpoint != nil { try await context.keep(nil) }
    }

    private func outcomeUnknown(_ item: MediaItem) -> SubmitFailure {
        SubmitFailure(
            .outcomeUnknown, code: "outcome-unknown",
            message:
                "\(run.program) broke off while it sent “\(item.name)” to \(destination), and nothing tells whether it is "
                + "there; look, and then cancel it or send it again.")
    }

    /// The first line that is nothing but a URL without credentials in it.
    static func url(in output: [UInt8]) -> String? {
        let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.lazy.map { String($0).trimmed }.first { line in
            guard line.hasPrefix("https://") || line.hasPrefix("http://"), line.utf8.count <= 2048 else { return false }
            let authority = line.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            return !authority.isEmpty && !authority.contains("@")
                && line.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7f }
        }
    }

    /// What a program left behind only itself can know.
    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    func check() async throws(SubmitFailure) -> String {
        let end = try await ProgramCall(
            "/bin/sh", ["-c", "command -v -- \"$1\"", "sh", run.program], environment: [:], inheritsEnvironment: true,
            life: .seconds(10)
        ).run()
        guard end.status == .exited(0) else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "program-missing",
                message: "The program “\(run.program)” cannot be found or run; install it, or give its full path.")
        }
        return "The program “\(run.program)” is there; what it does shows only when something is sent."
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension CommandLineTemplate {
    func adding(_ word: String) -> CommandLineTemplate { CommandLineTemplate(words: words + [word]) }

    private init(words: [String]) { self.words = words }
}

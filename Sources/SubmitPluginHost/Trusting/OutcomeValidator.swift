internal import Submit
internal import SubmitPluginProtocol

/// Looks at what a program says before anyone acts on it.
struct OutcomeValidator: Sendable {
    let texts: ProgramTexts
    /// What the program said of itself; `nil` before.
    let type: TypeDescription?

    /// The most names in one answer.
    static let mostNames = 100_000
    /// The longest name of anything at a destination, in bytes.
    static let longestName = 4096

    /// The outcome, fit to be used.
    ///
    /// - Throws: where it does not fit its request or promises what cannot be.
    func checked(_ outcome: RequestOutcome, of request: HostRequest) throws(ProtocolViolation) -> RequestOutcome {
        switch (request, outcome) {
        case (.hello(let versions, _), .hello(let type)):
            return .hello(try checked(type, versions))
        case (.configure, .configured(let description)):
            return .configured(try checked(description))
        case (.check, .text(let text)):
            return .text(texts.sentence(text, otherwise: "It was checked."))
        case (.submit(let attempt), .receipt(let receipt)):
            if attempt.options.verification == .readback, receipt.evidence != .verified {
                throw ProtocolViolation("did not read the copy back as it was asked to")
            }
            return .receipt(try checked(receipt))
        case (.presence, .presence(let presence)):
            guard case .unknown(let why) = presence else { return outcome }
            return .presence(.unknown(texts.sentence(why, otherwise: "The program gave no reason.")))
        case (.albums, .albums(let names)):
            return .albums(try albums(names))
        case (.link, .link(let url)):
            return .link(try self.url(url))
        case (.leftovers, .leftovers(let leftovers)):
            return .leftovers(try checked(leftovers))
        case (.beginLogin, .loginBegun(let prompt)):
            return .loginBegun(try checked(prompt))
        case (.pollLogin, .login(let progress)):
            return .login(try checked(progress))
        case (.logout, .logout(let revocation)):
            guard case .impossible(let why) = revocation else { return outcome }
            return .logout(.impossible(texts.sentence(why, otherwise: "The destination cannot do it.")))
        case (.discard, _), (.createAlbum, _), (.removeLeftover, _), (.remove, _), (.removeAlbum, _):
            return .nothing
        default:
            throw ProtocolViolation("gave an outcome that does not fit “\(request.kind.rawValue)”")
        }
    }

    /// The failure, fit to be shown. That someone cancelled it is only said where someone did.
    func checked(_ failure: SubmitFailure, wasCancelled: Bool) -> SubmitFailure {
        let isCode = failure.code.isTypeName
        let remedy: Remedy =
            switch failure.remedy {
            case .cancelled where !wasCancelled: .retry(after: nil)
            case .retry(let after): .retry(after: after.map(Self.bounded))
            case .tryAnother(let after): .tryAnother(after: after.map(Self.bounded))
            case .wait(let after): .wait(after: Self.bounded(after))
            case .hold(let reason, let after): .hold(reason, after: after.map(Self.bounded))
            default: failure.remedy
            }
        return SubmitFailure(
            remedy, code: isCode ? failure.code : "submitter-failure",
            message: texts.sentence(failure.message, otherwise: "The program gave no reason."))
    }

    /// No more than a week: whoever asks for longer asks for ever.
    private static func bounded(_ time: Duration) -> Duration { min(max(.zero, time), .seconds(7 * 86_400)) }

    private func checked(_ receipt: Receipt) throws(ProtocolViolation) -> Receipt {
        var receipt = receipt
        receipt.remoteID = try name(receipt.remoteID, "a receipt's “remoteID”")
        if let url = receipt.url { receipt.url = try self.url(url) }
        receipt.note = receipt.note.map { texts.line($0) }.flatMap { $0.isEmpty ? nil : $0 }
        // They go into the journal and back, as they are.
        if receipt.marks.contains(where: { !texts.isClear($0) || !texts.isClear($1) }) {
            throw ProtocolViolation("gave a receipt “marks” that hold a secret")
        }
        return receipt
    }

    /// A name at the destination, exactly as it is: by another one nothing would be found there.
    func name(_ text: String, _ what: String) throws(ProtocolViolation) -> String {
        guard (1...Self.longestName).contains(text.utf8.count), !text.utf8.contains(0) else {
            throw ProtocolViolation("gave \(what) that is empty or longer than \(Self.longestName) bytes")
        }
        guard texts.isClear(text) else { throw ProtocolViolation("gave \(what) that holds a secret") }
        return text
    }

    /// An `http`, `https` or `file` URL without a user's name and password.
    func url(_ text: String) throws(ProtocolViolation) -> String {
        let schemes = ["https://", "http://", "file:///"]
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }), text.utf8.count <= 8192,
            !text.unicodeScalars.contains(where: { ProgramTexts.isControl($0) || $0 == " " })
        else { throw ProtocolViolation("gave a URL that is no http, https or file URL") }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#\\".contains($0) }
        guard !authority.contains("@") else { throw ProtocolViolation("gave a URL with a user's name in it") }
        return KnownSecrets.redacted(text)
    }

    private func albums(_ names: [String]) throws(ProtocolViolation) -> [String] {
        guard names.count <= Self.mostNames else { throw ProtocolViolation("gave more than \(Self.mostNames) names") }
        var albums: [String] = []
        for name in names { albums.append(try self.name(name, "an album's name")) }
        return albums.sorted()
    }

    private func checked(_ leftovers: [Leftover]) throws(ProtocolViolation) -> [Leftover] {
        guard leftovers.count <= Self.mostNames else {
            throw ProtocolViolation("gave more than \(Self.mostNames) names")
        }
        var checked: [Leftover] = []
        for leftover in leftovers {
            let id = try name(leftover.id, "a leftover's “id”")
            checked.append(
                Leftover(
                    id: id, name: texts.line(leftover.name), begun: leftover.begun,
                    bytes: leftover.bytes.map { max(0, $0) }))
        }
        return checked
    }

    private func checked(_ prompt: LoginPrompt) throws(ProtocolViolation) -> LoginPrompt {
        let url = try url(prompt.url ?? "")
        guard url.lowercased().hasPrefix("http"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw ProtocolViolation("gave a page to sign in at that is no http or https URL")
        }
        return LoginPrompt(url: url, life: min(max(.seconds(1), prompt.life), .seconds(86_400)))
    }

    private func checked(_ progress: LoginProgress) throws(ProtocolViolation) -> LoginProgress {
        switch progress {
        case .pending(let after):
            return .pending(after: min(max(.milliseconds(100), after), .seconds(60)))
        case .done(let grant):
            let keys = type?.settings ?? []
            let secrets = Set(keys.filter { $0.kind == .secret }.map(\.name))
            let settings = Set(keys.filter { $0.kind != .secret }.map(\.name))
            guard secrets.isSuperset(of: grant.secrets.keys), settings.isSuperset(of: grant.settings.keys) else {
                throw ProtocolViolation("gave a login settings that it does not have")
            }
            return .done(
                LoginGrant(
                    account: texts.line(grant.account), settings: grant.settings.mapValues { texts.line($0) },
                    secrets: grant.secrets))
        }
    }
}

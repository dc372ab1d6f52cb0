internal import Submit
internal import SubmitPluginProtocol

@testable internal import SubmitPluginHost

/// Reads what programs that are submitters write, as the host does, and what the host writes, as they do.
func fuzzLines(_ bytes: [UInt8]) {
    splitLines(bytes)
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(8) {
        let line = Array(line)
        readAnswer(line)
        if let message = try? HostMessage(line: line) {
            precondition((try? HostMessage(line: message.line)) == message)
        }
    }
}

/// As the end of a request of each kind, if it is one.
private func readAnswer(_ line: [UInt8]) {
    guard let message = try? SubmitterMessage(line: line, requests: [:]) else { return }
    precondition((try? SubmitterMessage(line: message.line, requests: [:])) == message)
    switch message {
    case .failed(_, let failure):
        let checked = trust.checked(failure, wasCancelled: false)
        checkText(checked.message)
        precondition(checked.code.isTypeName && checked.remedy != .cancelled)
    case .done(let id, _):
        for kind in RequestKind.allCases {
            guard let message = try? SubmitterMessage(line: line, requests: [id: kind]) else { continue }
            precondition((try? SubmitterMessage(line: message.line, requests: [id: kind])) == message)
            if case .done(_, let outcome) = message { check(outcome, of: kind) }
        }
    default: break
    }
}

/// However the bytes come in, the lines are the same.
private func splitLines(_ bytes: [UInt8]) {
    func lines(by count: Int) -> [[UInt8]]? {
        var splitter = LineSplitter(limit: 1000)
        var lines: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: count) {
            let piece = bytes[start..<min(start + count, bytes.count)]
            do {
                try piece.withUnsafeBytes { try splitter.take($0) { lines.append($0) } }
            } catch {
                return nil
            }
        }
        return lines
    }
    let whole = lines(by: max(1, bytes.count))
    precondition(lines(by: 7) == whole)
    precondition(whole?.allSatisfy { $0.count <= 1000 && !$0.contains(UInt8(ascii: "\n")) } ?? true)
}

private let trust = OutcomeValidator(
    texts: ProgramTexts(secrets: ["hidden"]),
    type: TypeDescription(
        summary: "", capabilities: Capabilities(ordering: .sequential, requiresNetwork: true),
        settings: [SettingKey("token", .secret, summary: ""), SettingKey("user", .text, summary: "")]))

/// What comes of an outcome can be shown, and holds no secret.
private func check(_ outcome: RequestOutcome, of kind: RequestKind) {
    guard let request = request(kind), let checked = try? trust.checked(outcome, of: request) else { return }
    switch checked {
    case .text(let text): checkText(text)
    case .link(let url): checkText(url)
    case .hello(let type): checkText(type.summary)
    case .receipt(let receipt): checkText(receipt.url ?? "")
    case .loginBegun(let prompt): checkText(prompt.url ?? "")
    default: break
    }
}

private func checkText(_ text: String) {
    precondition(!text.unicodeScalars.contains(where: ProgramTexts.isControl))
    precondition(!text.contains("hidden"))
}

private func request(_ kind: RequestKind) -> HostRequest? {
    switch kind {
    case .hello: .hello(versions: [1], host: "")
    case .configure: .configure(destination: "d", settings: [:], secrets: [])
    case .check: .check
    case .albums: .albums
    case .createAlbum: .createAlbum("a")
    case .leftovers: .leftovers(sparing: [])
    case .removeAlbum: .removeAlbum("a")
    case .beginLogin: .beginLogin(client: "")
    case .pollLogin: .pollLogin
    case .logout: .logout
    case .link: .link(Receipt(remoteID: "1", evidence: .unknown), seconds: 1)
    case .remove: .remove(Receipt(remoteID: "1", evidence: .unknown))
    case .submit: attempt.map { .submit($0) }
    case .presence: attempt.map { .presence($0.item, Receipt(remoteID: "1", evidence: .unknown)) }
    case .discard, .removeLeftover: nil
    }
}

private let attempt: AttemptDescription? = {
    let line = #"""
        {"message":"submit","id":1,"submission":"s","attempt":1,"item":{"name":"a.jpg","size":5,"kind":"photo",\#
        "mime":"image/jpeg","extension":"jpg","modified":"2024-05-17T16:42:07Z","tags":[],"digests":{"sha256":\#
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}},"onConflict":"rename",\#
        "verification":"usual"}
        """#
    guard case .request(_, .submit(let attempt))? = try? HostMessage(line: Array(line.utf8)) else { return nil }
    return attempt
}()

import Foundation
import Submit
import SubmitConcurrency
import SubmitConfiguration
import SubmitEngine
import SubmitJournal
import TestServers
import Testing

@testable import SubmitCommand

/// A service with every way to sign in.
private final class Gate: Sendable {
    let methods: Locked<[LoginMethod]>
    let redirect: LoginRedirect
    /// Answers fail with these, one after another, before they are looked at.
    let troubles = Locked<[SubmitFailure]>([])
    let answers = Locked<[LoginAnswer]>([])
    let client = Locked<LoginClient?>(nil)
    /// Looks before the person has signed in.
    let looks = Locked(2)

    static let token = "t0k3n-0f-th3-g4t3"
    static let code = "c0d3-0f-th3-g4t3"
    static let key = "k3y-0f-th3-g4t3"
    static let page = "https://gate.example/authorize?state=right"

    init(_ methods: LoginMethod..., redirect: LoginRedirect = LoginRedirect()) {
        self.methods = Locked(methods)
        self.redirect = redirect
    }

    var type: SubmitterType {
        SubmitterType(
            name: "gate", summary: "A service", capabilities: GateSubmitter.capabilities,
            settings: [SettingKey("api_key", .secret, summary: "A key")]
        ) { _ in GateSubmitter(gate: self) }
    }
}

private struct GateSubmitter: Submitter, LoginFacet {
    static let capabilities = Capabilities(ordering: .sequential, requiresNetwork: true)

    let gate: Gate

    var capabilities: Capabilities { Self.capabilities }
    var facets: Facets { Facets(login: self) }
    var secrets: Set<String> { ["token", "api_key"] }
    var methods: [LoginMethod] { gate.methods.withLock { $0 } }
    var redirect: LoginRedirect { gate.redirect }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt { Receipt(remoteID: item.name, url: nil, evidence: .accepted) }
    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}
    func check() async throws(SubmitFailure) -> String { "It is there." }
    func revoke() async throws(SubmitFailure) -> Revocation { .revoked }

    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        gate.client.withLock { $0 = client }
        return GateAttempt(gate: gate, method: client.method)
    }
}

private struct GateAttempt: LoginAttempt {
    let gate: Gate
    let method: LoginMethod

    var prompt: LoginPrompt {
        let task: LoginTask =
            switch method {
            case .page: .open(Gate.page)
            case .browser: .openAndReturn(Gate.page)
            case .paste: .openAndPaste(Gate.page)
            case .device: .typeCode(LoginCode(code: "WDJB-MJHT", url: "https://gate.example/device"))
            case .typed:
                .fill([LoginField("user", label: "User", isSecret: false), LoginField("api_key", label: "Key")])
            case .client: .nothing
            }
        return LoginPrompt(task, life: .seconds(600))
    }

    private var grant: LoginGrant {
        LoginGrant(account: "alice", secrets: ["token": Gate.token], notices: ["Less was granted than asked."])
    }

    func poll() async throws(SubmitFailure) -> LoginProgress {
        let isLeft = gate.looks.withLock { looks in
            looks -= 1
            return looks >= 0
        }
        return isLeft && method != .client ? .pending(after: .milliseconds(1)) : .done(grant)
    }

    func answer(_ answer: LoginAnswer) async throws(SubmitFailure) -> LoginProgress {
        gate.answers.withLock { $0.append(answer) }
        if let trouble = gate.troubles.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw trouble }
        switch answer {
        case .redirected(let target), .pasted(let target):
            if target.contains("error=access_denied") {
                throw SubmitFailure(.giveUp, code: "denied", message: "“gate” was told not to let us in.")
            }
            guard target.contains("state=right") || target == Gate.code else {
                throw SubmitFailure(
                    .retry(after: nil), code: "other-login", message: "That belongs to <another> login.")
            }
        case .typed(let fields):
            guard fields["api_key"] == Gate.key else {
                throw SubmitFailure(.renewCredentials, code: "credentials", message: "“gate” refuses that key.")
            }
            return .done(LoginGrant(account: fields["user"] ?? "", secrets: ["api_key": Gate.key]))
        }
        return .done(grant)
    }
}

/// Someone who signs in at the gate.
private final class Person: Sendable {
    let gate: Gate
    let submit = SubmitCommandTests.Submit()
    let said: AsyncStream<String>
    private let saying: AsyncStream<String>.Continuation
    let lines = Locked<[String]>([])

    init(_ gate: Gate) throws {
        self.gate = gate
        (said, saying) = AsyncStream.makeStream()
        try submit.configure("destinations:\n  gate:\n")
    }

    func session() throws -> Session {
        let places = AppPaths(environment: submit.environment)
        let journal = LazyJournal(places.journal)
        let catalog = try DestinationCatalog(
            places: places, types: TypeCatalog(SubmitterRegistry([gate.type]), places, host: .tests), journal: journal)
        return try Session(catalog: catalog, journal: try journal.open())
    }

    /// - Parameter answers: what comes as lines.
    func signIn(
        _ wanted: LoginMethod? = nil, desktop: Bool = false, json: Bool = false, answers: String? = nil,
        within limit: Duration? = nil
    ) async throws -> SubmitFailure? {
        let session = try session()
        let (lines, saying) = (lines, saying)
        var talk = LoginSession(
            keeper: try LoginStore("gate", session.catalog), session: session, isJSON: json, limit: limit,
            say: { line in
                lines.withLock { $0.append(line) }
                saying.yield(line)
            }, open: { _ in })
        talk.choice = MethodChoice(wanted: wanted, hasDesktop: desktop)
        var pipe: FileHandle?
        if let answers {
            let path = try submit.folder.write(answers, to: "answers")
            pipe = FileHandle(forReadingAtPath: path)
            talk.answers = pipe?.fileDescriptor
        }
        defer { withExtendedLifetime(pipe) {} }
        return await talk.signIn()
    }

    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    func secrets() throws -> [String: String] { try session().catalog.credentials.secrets(of: "gate") }

    func expectSecrecy(_ location: SourceLocation = #_sourceLocation) {
        for secret in [Gate.token, Gate.code, Gate.key] {
            #expect(!text.contains(secret), sourceLocation: location)
            #expect(submit.journalBytes().range(of: Data(secret.utf8)) == nil, sourceLocation: location)
        }
    }
}

/// A browser without much to it.
private enum Visit {
    /// - Returns: the answer's head and body.
    static func get(_ url: String, method: String = "GET") async throws -> String {
        try await ChildProcess.output(
            of: ["curl", "-sS", "--noproxy", "*", "-g", "-i", "-X", method, "--max-time", "20", url])
    }
}

@Suite struct `Signing in with a browser that comes back` {
    @Test(arguments: ["127.0.0.1", "[::1]"]) func `passes over what is no answer, and takes the first right one`(
        host: String
    ) async throws {
        let person = try Person(Gate(.browser, .paste, redirect: LoginRedirect(host: host)))
        let login = Task { try await person.signIn(desktop: true) }
        var said = person.said.makeAsyncIterator()
        let prompt = try #require(await said.next())
        let redirect = try #require(person.gate.client.withLock { $0?.redirect })
        #expect(redirect.hasPrefix("http://\(host):") && redirect.hasSuffix("/callback"))
        #expect(prompt.contains(Gate.page) && prompt.contains(redirect) && prompt.contains("10 min"), "\(prompt)")

        let root = redirect.replacing("/callback", with: "")
        #expect(try await Visit.get(root + "/favicon.ico").hasPrefix("HTTP/1.1 404 "))
        #expect(try await Visit.get(root + "/callback/?code=\(Gate.code)&state=right").hasPrefix("HTTP/1.1 404 "))
        #expect(try await Visit.get(redirect + "?code=x&state=right", method: "POST").hasPrefix("HTTP/1.1 405 "))
        #expect(person.gate.answers.withLock { $0 } == [])
        let wrong = try await Visit.get(redirect + "?code=<script>&state=wrong")
        #expect(
            wrong.hasPrefix("HTTP/1.1 400 ") && wrong.contains("&lt;another&gt; login") && !wrong.contains("<script"))
        #expect(wrong.contains("Connection: close"))
        #expect(await said.next() == "That belongs to <another> login.")

        // At either address of this computer.
        let other = redirect.replacing(host, with: host == "[::1]" ? "127.0.0.1" : "[::1]")
        let right = try await Visit.get(other + "?code=\(Gate.code)&state=right&iss=x")
        #expect(right.hasPrefix("HTTP/1.1 200 ") && right.contains("That is done"), "\(right)")
        #expect(try await login.value == nil)
        #expect(
            person.gate.answers.withLock { $0.last } == .redirected("/callback?code=\(Gate.code)&state=right&iss=x"))
        #expect(try person.secrets() == ["token": Gate.token])
        #expect(person.text.contains("Less was granted than asked."))
        person.expectSecrecy()
        await #expect(throws: ChildProcess.Failure.self) { try await Visit.get(redirect + "?code=x&state=right") }
    }

    @Test func `ends when the person says no, and the browser shows it`() async throws {
        let person = try Person(Gate(.browser))
        let login = Task { try await person.signIn(desktop: true, json: true) }
        var said = person.said.makeAsyncIterator()
        let open = try #require(await said.next())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(open.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["event", "destination", "method", "url", "until", "redirect"])
        let redirect = try #require(object["redirect"] as? String)
        let page = try await Visit.get(redirect + "?error=access_denied&state=right")
        #expect(page.hasPrefix("HTTP/1.1 400 ") && page.contains("told not to let us in"), "\(page)")
        #expect(try await login.value?.code == "denied")
        #expect(try person.secrets() == [:])
    }

    @Test func `is tried again while the service is in trouble`() async throws {
        let person = try Person(Gate(.browser))
        let down = SubmitFailure(.hold(.unreachable, after: .milliseconds(1)), code: "x", message: "It is down.")
        person.gate.troubles.withLock { $0 = [down, down] }
        let login = Task { try await person.signIn(desktop: true) }
        var said = person.said.makeAsyncIterator()
        _ = await said.next()
        let redirect = try #require(person.gate.client.withLock { $0?.redirect })
        let page = try await Visit.get(redirect + "?code=\(Gate.code)&state=right")
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("tried again"), "\(page)")
        #expect(try await login.value == nil)
        #expect(person.gate.answers.withLock { $0.count } == 3)
    }

    @Test func `takes the address where a browser elsewhere ended, too`() async throws {
        let person = try Person(Gate(.browser))
        let answers =
            "\nhttp://127.0.0.1:1/callback?code=x&state=wrong\n  http://127.0.0.1:1/callback?code=\(Gate.code)&state=right \n"
        #expect(try await person.signIn(answers: answers) == nil)
        #expect(
            person.text.contains("paste the address here") && person.text.contains("another> login"), "\(person.text)")
        person.expectSecrecy()
    }

    @Test func `does not wait for ever, nor is bound to be asked in vain`() async throws {
        let person = try Person(Gate(.browser))
        let failure = try await person.signIn(desktop: true, within: .milliseconds(50))
        #expect(
            failure?.code == "login-timeout"
                && failure?.advised(at: "gate").hasSuffix("`submit login gate` does.") == true)
    }

    @Test func `says which port is taken`() async throws {
        let server = ScriptedServer { _ in }
        let person = try Person(Gate(.browser, redirect: LoginRedirect(port: server.port)))
        let failure = try await person.signIn(desktop: true)
        #expect(failure?.code == "login-port" && failure?.message.contains("\(server.port)") == true)
        #expect(person.gate.client.withLock { $0 } == nil)
    }
}

@Suite struct `What listens for a browser` {
    private func listener(_ patience: Duration = .seconds(5)) throws -> LoopbackListener {
        try LoopbackListener(LoginRedirect(), patience: patience) { _, reply in reply(LoginPage(.signedIn)) }
    }

    private func talk(_ listener: LoopbackListener, _ text: String) async throws -> String {
        let folder = TemporaryFolder()
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(listener.port); cat \"$0\" >&3; cat <&3"
        return try await ChildProcess.output(of: ["bash", "-c", script, try folder.write(text, to: "request")])
    }

    @Test(arguments: [
        "\r\n\r\n", "GET\r\n\r\n", "GET http://x/callback HTTP/1.1\r\n\r\n", "GET /callback HTTP/2\r\n\r\n",
        "GET /call back HTTP/1.1\r\n\r\n", "GET /callback\u{7f} HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}tls\n\n",
        "GET /callback?\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\n\r\n",
    ])
    func `does not take what is no request`(text: String) async throws {
        let listener = try listener()
        let answer = try await talk(listener, text)
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        await listener.end()
    }

    @Test func `does not wait for those who never ask`() async throws {
        let listener = try listener(.milliseconds(50))
        let answer = try await talk(listener, "GET /callback HTTP/1.1\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        await listener.end()
    }

    @Test func `is at no address that others can reach`() async throws {
        let listener = try listener()
        let sockets = try await ChildProcess.output(of: ["cat", "/proc/net/tcp", "/proc/net/tcp6"])
        let port = String(listener.port, radix: 16, uppercase: true)
        let hex = String(repeating: "0", count: 4 - port.count) + port
        var own: [String] = []
        for line in sockets.split(separator: "\n") {
            let fields = line.split(separator: " ").map(String.init)
            // 0A is a socket that listens.
            guard fields.count > 3, fields[1].hasSuffix(":" + hex), fields[3] == "0A" else { continue }
            own.append(String(fields[1].dropLast(5)))
        }
        #expect(Set(own).isSubset(of: ["0100007F", "00000000000000000000000001000000"]) && own.count == 2, "\(own)")
        await listener.end()
    }
}

@Suite struct `Signing in without a browser here` {
    @Test func `by what is pasted`() async throws {
        let person = try Person(Gate(.browser, .paste))
        #expect(try await person.signIn(answers: "nonsense\n\(Gate.code)\n") == nil)
        #expect(person.gate.client.withLock { $0?.method } == .paste && person.text.contains("paste the code"))
        #expect(person.gate.answers.withLock { $0 } == [.pasted("nonsense"), .pasted(Gate.code)])
        #expect(try person.secrets() == ["token": Gate.token])
        person.expectSecrecy()
        let nothing = try await person.signIn(answers: "")
        #expect(nothing?.code == "login-unanswered")
    }

    @Test func `by a code typed on another device`() async throws {
        let person = try Person(Gate(.browser, .paste, .device))
        #expect(try await person.signIn() == nil)
        #expect(
            person.text.contains("WDJB-MJHT") && person.text.contains("https://gate.example/device"), "\(person.text)")
        person.gate.looks.withLock { $0 = 2 }
        #expect(try await person.signIn(.device, desktop: true, json: true) == nil)
        let open = try #require(person.lines.withLock { $0.first { $0.contains(#""event":"open""#) } })
        #expect(open.contains(#""code":"WDJB-MJHT""#) && open.contains(#""method":"device""#), "\(open)")
        #expect(person.text.contains(#""notices":["Less was granted than asked."]"#))
    }

    @Test func `by what is configured`() async throws {
        let person = try Person(Gate(.client))
        #expect(try await person.signIn() == nil)
        #expect(person.lines.withLock { $0.count } == 2)
    }

    @Test func `by a way that is not offered, which is said`() async throws {
        let person = try Person(Gate(.device))
        let failure = try await person.signIn(.paste)
        #expect(failure?.message.contains("“gate” offers no login by a pasted code (--paste)") == true)
        #expect(failure?.message.contains("it offers a code for another device (--device)") == true)
        let typed = try Person(Gate(.typed))
        let alone = try await typed.signIn()
        #expect(alone?.message.contains("--stdin") == true, "\(alone as Any)")
    }

    @Test(arguments: [
        ([LoginMethod.browser, .paste, .device], LoginMethod.browser, LoginMethod.device),
        ([.browser, .paste], .browser, .paste), ([.browser], .browser, .browser), ([.page], .page, .page),
        ([.paste, .browser], .paste, .paste), ([.typed], .typed, .typed), ([.client, .device], .client, .device),
    ])
    func `takes the way that can be gone`(
        offered: [LoginMethod], desktop: LoginMethod, elsewhere: LoginMethod
    ) throws {
        #expect(try MethodChoice(hasDesktop: true).method(among: offered, at: "x") == desktop)
        #expect(try MethodChoice(hasDesktop: false).method(among: offered, at: "x") == elsewhere)
    }
}

@Suite struct `What is typed to sign in` {
    private func values(_ text: String, _ fields: LoginField...) throws -> [String: String] {
        var lines = text.split(separator: "\n").map(String.init)[...]
        return try TypedFields(fields, at: "x").values { lines.popFirst() }
    }

    @Test func `comes as KEY=VALUE lines, or as the only value`() throws {
        let (user, key) = (LoginField("user", label: "User", isSecret: false), LoginField("key", label: "Key"))
        #expect(try values("user = alice\n\nkey=a=b==\n", user, key) == ["user": "alice", "key": "a=b=="])
        #expect(try values("YWJj==\n", key) == ["key": "YWJj=="] && values("key=YWJj==", key) == ["key": "YWJj=="])
        let failure = #expect(throws: SubmitFailure.self) { try values("\(Gate.key)\n", user, key) }
        #expect(failure?.message.contains(Gate.key) == false && failure?.message.contains("Line 1") == true)
    }
}

@Suite struct `A QR code` {
    @Test(.enabled(if: QRCode("x") != nil, "it takes libqrencode"))
    func `is left out on a screen that has no room for all of it`() throws {
        let code = try #require(QRCode("https://192.0.2.2:44599/r/xh2wxu#O-HzR3QSLmBAugdxfWqxCA"))
        let lines = try #require(code.lines(columns: 80, rows: 22, isColored: true))
        #expect(lines.count <= 22)
        #expect(code.lines(columns: 80, rows: lines.count - 1, isColored: true) == nil)
        #expect(code.lines(columns: code.columns - 1, rows: 50, isColored: true) == nil)
        #expect(code.lines(columns: 80, rows: 24, isPlain: true, isColored: false) == nil)
        #expect(code.lines(columns: 200, rows: 60, isPlain: true, isColored: false)?.count == code.plainLines.count)
    }

    @Test(
        .enabled(
            if: QRCode("x") != nil && access("/usr/bin/zbarimg", X_OK) == 0,
            "it takes libqrencode, and zbarimg to read it"))
    func `has the address in it, in either colours`() async throws {
        let code = try #require(QRCode("https://gate.example/device?user_code=WDJB-MJHT"))
        for isColored in [true, false] {
            let lines = code.lines(isColored: isColored)
            let plain = lines.map {
                $0.replacing("\u{1b}[38;5;16;48;5;231m", with: "").replacing("\u{1b}[0m", with: "")
            }
            #expect(plain.allSatisfy { $0.count == code.columns } && plain.count == (code.columns + 1) / 2)
            // Dark is where the blocks are when they are black.
            let rows = plain.flatMap { line in
                [line.map { "█▀".contains($0) == isColored }, line.map { "█▄".contains($0) == isColored }]
            }
            let scale = 4
            var picture = "P1\n\(code.columns * scale) \(rows.count * scale)\n"
            for row in rows {
                let line = row.map { String(repeating: $0 ? "1 " : "0 ", count: scale) }.joined() + "\n"
                picture += String(repeating: line, count: scale)
            }
            let folder = TemporaryFolder()
            let read = try await ChildProcess.output(
                of: ["zbarimg", "-q", "--raw", try folder.write(picture, to: "code.pbm")])
            #expect(read == "https://gate.example/device?user_code=WDJB-MJHT\n")
        }
    }
}

@Suite struct `A service that is gone` {
    @Test(arguments: [("minus", "closed"), ("picasa", "google-photos"), ("Evernote", "Thrift"), ("mixi2", "gRPC")])
    func `is told of in one sentence, with what is left`(name: String, words: String) async throws {
        let submit = Submit()
        for arguments in [["--to", name, "x.jpg"], ["destinations", "add", "a", "--type", name], ["whoami", name]] {
            let outcome = try await submit.run(arguments)
            #expect(outcome.end == .exited(2) && outcome.troubles.count == 1, "\(outcome)")
            #expect(outcome.err.contains(words), "\(outcome)")
        }
        try submit.configure("destinations:\n  old:\n    type: \(name)\n")
        let outcome = try await submit.run("--to", "old", "x.jpg")
        #expect(outcome.end == .exited(2) && outcome.err.contains("config.yaml:3: ") && outcome.err.contains(words))
    }
}

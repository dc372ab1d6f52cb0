import Submit
import SubmitPluginProtocol
import SubmitTesting
import Testing

@testable import SubmitPluginHost

/// What a program says is looked at before anyone acts on it.
@Suite struct TrustTests {
    private static let type = TypeDescription(
        summary: "A shelf",
        capabilities: Capabilities(ordering: .concurrent(2), supportsAlbums: true, requiresNetwork: false),
        settings: [
            SettingKey("shelf", .path, summary: "The folder"), SettingKey("token", .secret, summary: "What opens it"),
        ])
    private static let secrets = ["s3cr3t", "s3cr3t-and-more"]
    private let trust = OutcomeValidator(texts: ProgramTexts(secrets: secrets), type: Self.type)

    init() { for secret in Self.secrets { KnownSecrets.add(secret) } }
    private static let item = ScriptedBytes([1]).item(named: "IMG_1.jpg")

    private static func submit(_ verification: Verification = .usual) -> HostRequest {
        .submit(
            AttemptDescription(
                item, SubmissionContext(submission: "s", verification: verification), path: nil))
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        let request: HostRequest
        let outcome: RequestOutcome
        let words: String
        var testDescription: String { words }
    }

    private static func receipt(_ id: String = "x", url: String? = nil, _ words: String) -> Lie {
        Lie(request: submit(), outcome: .receipt(Receipt(remoteID: id, url: url, evidence: .size)), words: words)
    }

    private static func hello(_ words: String, _ change: (inout TypeDescription) -> Void) -> Lie {
        var type = type
        change(&type)
        return Lie(request: .hello(versions: [1], host: ""), outcome: .hello(type), words: words)
    }

    private static func configured(_ words: String, _ change: (inout ConfiguredDescription) -> Void) -> Lie {
        var description = ConfiguredDescription(facets: [.albums])
        change(&description)
        return Lie(
            request: .configure(destination: "shelf", settings: [:], secrets: []), outcome: .configured(description),
            words: words)
    }

    static let lies: [Lie] = [
        receipt("", "gave a receipt's “remoteID” that is empty"),
        receipt(String(repeating: "x", count: 4097), "longer than 4096 bytes"),
        receipt("a\0b", "gave a receipt's “remoteID”"),
        receipt("s3cr3t/x", "gave a receipt's “remoteID” that holds a secret"),
        receipt(url: "javascript:alert(1)", "no http, https or file URL"),
        receipt(url: "https://ada:pw@shelf.example/", "a user's name in it"),
        receipt(url: "https:\\ada@shelf.example/", "no http, https or file URL"),
        receipt(url: "https://shelf.example/\u{1b}[2J", "no http, https or file URL"),
        receipt(url: "file://elsewhere/x", "no http, https or file URL"),
        Lie(
            request: submit(.readback), outcome: .receipt(Receipt(remoteID: "x", evidence: .size)),
            words: "did not read the copy back"),
        Lie(request: submit(), outcome: .albums([]), words: "does not fit “submit”"),
        Lie(request: .check, outcome: .nothing, words: "does not fit “check”"),
        Lie(
            request: .albums, outcome: .albums(Array(repeating: "x", count: 100_001)), words: "more than 100000 names"),
        Lie(request: .albums, outcome: .albums([""]), words: "gave an album's name"),
        Lie(request: .albums, outcome: .albums(["x s3cr3t"]), words: "gave an album's name that holds a secret"),
        Lie(
            request: .leftovers(sparing: []), outcome: .leftovers([Leftover(id: "", name: "x")]),
            words: "gave a leftover's “id”"),
        Lie(
            request: .beginLogin(client: "x"), outcome: .loginBegun(LoginPrompt(url: "file:///x", life: .seconds(1))),
            words: "no http or https URL"),
        Lie(
            request: .pollLogin, outcome: .login(.done(LoginGrant(account: "ada", secrets: ["password": "x"]))),
            words: "settings that it does not have"),
        hello("which was not offered") { $0.version = 2 },
        hello("has the width 0") { $0.capabilities.ordering = .concurrent(0) },
        hello("takes no kind of media") { $0.capabilities.kinds = [] },
        hello("a limit that is none") { $0.capabilities.maximumSize = [.photo: 0] },
        hello("two of one name") { $0.settings += [SettingKey("shelf", .text, summary: "Again")] },
        hello("whose name is no name") { $0.settings = [SettingKey("a b", .text, summary: "x")] },
        hello("none of environment variables") {
            $0.settings = [SettingKey("a", .secret, summary: "x", environment: ["A=B"])]
        },
        configured("promises more than before it was configured (width)") {
            $0.capabilities = Capabilities(ordering: .concurrent(3), supportsAlbums: true, requiresNetwork: false)
        },
        configured("(resumes)") {
            $0.capabilities = Capabilities(
                ordering: .sequential, supportsAlbums: true, canResume: true, requiresNetwork: false)
        },
        configured("has albums and does not know them") { $0.facets = [] },
        configured("none of its settings") { $0.loginSecrets = ["password"] },
    ]

    @Test(arguments: lies)
    func `what does not fit or cannot be is a lie`(_ lie: Lie) {
        let error = #expect(throws: ProtocolViolation.self) { try trust.checked(lie.outcome, of: lie.request) }
        #expect(error?.story.contains(lie.words) == true, "\(error?.story ?? "")")
    }

    @Test func `an honest outcome stays as it is`() throws {
        let receipt = Receipt(
            remoteID: "Summer/IMG 1.jpg", url: "https://shelf.example/p@th?a=b", evidence: .verified,
            note: "Under another name.")
        #expect(try trust.checked(.receipt(receipt), of: Self.submit(.readback)) == .receipt(receipt))
        #expect(try trust.checked(.hello(Self.type), of: .hello(versions: [1], host: "")) == .hello(Self.type))
    }

    @Test func `texts are one line without secrets and without what moves a cursor`() throws {
        let text = "s3cr3t-and-more \u{1b}[31mred\u{1b}[0m\nand s3cr3t\u{202e}"
        #expect(trust.texts.line(text) == "… \u{fffd}[31mred\u{fffd}[0m and …\u{fffd}")
        #expect(trust.texts.line(String(repeating: "é", count: 5000)).count == 1000)
        let failure = SubmitFailure(.giveUp, code: "NOT A CODE", message: "It is s3cr3t")
        let checked = trust.checked(failure, wasCancelled: false)
        #expect(checked == SubmitFailure(.giveUp, code: "submitter-failure", message: "It is …."))
        let receipt = Receipt(remoteID: "x", url: "https://x.example/?s3cr3t", evidence: .size, note: "\n\n")
        #expect(
            try trust.checked(.receipt(receipt), of: Self.submit())
                == .receipt(Receipt(remoteID: "x", url: "https://x.example/?…", evidence: .size)))
    }

    @Test func `a wait is at most a week and never negative`() {
        func wait(_ milliseconds: Int64) -> Remedy {
            trust.checked(
                SubmitFailure(.retry(after: .milliseconds(milliseconds)), code: "x", message: "X."), wasCancelled: false
            ).remedy
        }
        #expect(wait(.max) == .retry(after: .seconds(604_800)))
        #expect(wait(.min) == .retry(after: .zero))
        #expect(wait(17) == .retry(after: .milliseconds(17)))
    }

    @Test func `that someone cancelled it is believed where someone did`() {
        #expect(trust.checked(.cancelled, wasCancelled: true).remedy == .cancelled)
        #expect(trust.checked(.cancelled, wasCancelled: false).remedy == .retry(after: nil))
    }
}

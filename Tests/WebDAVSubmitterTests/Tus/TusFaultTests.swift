import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `An upload by tus that meets` {
    private let part = TusEndeavour.partSize
    private static let again = Remedy.retry(after: nil)
    private static let unclear = Remedy.tryAnother(after: nil)
    private static let misconfigured = Remedy.hold(.misconfigured, after: nil)

    private static func reply(_ status: Int, _ headers: [(name: String, value: String)] = []) -> FakeTus.Outcome {
        .success(
            HTTPResponse(status: status, headers: headers, body: Array(status == 200 ? "<html>Sign in".utf8 : "".utf8)))
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var step: FakeTus.Step
        var number = 1
        var outcome: FakeTus.Outcome
        var isDone = false
        var remedy: Remedy
        var code: String
        var testDescription: String { "\(step) \(number) \(isDone ? "done and " : "")\(code)" }
    }

    private static let broken = FakeTus.Outcome.failure(.broken("reset", afterBody: true))

    static let answers: [Fault] = [FakeTus.Step.begin, .add].flatMap { step -> [Fault] in
        let number = step == .add ? 3 : 1
        func fault(
            _ status: Int, _ remedy: Remedy, _ code: String, _ headers: [(name: String, value: String)] = []
        ) -> Fault {
            Fault(step: step, number: number, outcome: reply(status, headers), remedy: remedy, code: code)
        }
        return [
            Fault(step: step, number: number, outcome: broken, remedy: unclear, code: "broken"),
            Fault(step: step, number: number, outcome: broken, isDone: true, remedy: unclear, code: "broken"),
            fault(200, misconfigured, "not-webdav", [("Content-Type", "text/html")]),
            fault(401, .renewCredentials, "credentials"),
            fault(409, again, "conflict"),
            fault(412, again, "conflict"),
            fault(412, misconfigured, "tus-version", [("Tus-Version", "0.2.2")]),
            fault(413, .giveUp, "too-large"),
            fault(415, .giveUp, "refused"),
            fault(423, .retry(after: .seconds(7)), "locked", [("Retry-After", "7")]),
            fault(425, again, "too-early"),
            fault(429, .hold(.throttled, after: .seconds(3)), "throttled", [("Retry-After", "3")]),
            fault(500, unclear, "server-error"),
            fault(503, unclear, "unavailable"),
            fault(507, .hold(.full, after: nil), "full"),
        ]
    }

    @Test(arguments: answers)
    func `a fault goes on from where it stood`(fault: Fault) async throws {
        let fake = FakeTus(
            before: { sent, _ in
                sent.step == fault.step && sent.number == fault.number && !fault.isDone ? fault.outcome : nil
            },
            after: { sent, _, _ in
                sent.step == fault.step && sent.number == fault.number && fault.isDone ? fault.outcome : nil
            })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(fault.remedy, fault.code)
        #expect((endeavour.note != nil) == (fault.step == .add))
        // A 409 is asked about at once, and so is told of in the same attempt.
        let there = fault.step == .add ? (fault.isDone ? 3 : 2) * part : 0
        #expect(try await endeavour.arrives(at: fake, evidence: nil) == endeavour.bytes.content.count - there)
        let isOrphan = fault.step == .begin && fault.isDone
        #expect(fake.now.uploads.count == (isOrphan ? 1 : 0))
    }

    @Test(arguments: [403, 404, 410])
    func `the end of its upload by others begins anew`(status: Int) async throws {
        let fake = FakeTus(before: { sent, state in
            guard sent.step == .add, sent.number == 3 else { return nil }
            state.uploads = [:]
            return Self.reply(status)
        })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.again, "upload-gone")
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count)
        #expect(fake.now.begun == 2)
    }

    @Test(arguments: [0, 1, 5000, 32 << 10])
    func `a connection that breaks in a piece sends what did not come`(kept: Int) async throws {
        let fake = FakeTus(
            before: { sent, state in
                guard sent.step == .add, sent.number == 2, let path = state.uploads.keys.first else { return nil }
                let content = ScriptedContent.bytes
                state.uploads[path]?.bytes += content[(32 << 10)..<((32 << 10) + kept)]
                return Self.broken
            })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count - part - kept)
    }

    @Test func `a lost answer on the last piece sends nothing again`() async throws {
        let fake = FakeTus(after: { sent, _, _ in sent.step == .add && sent.number == 5 ? Self.broken : nil })
        let endeavour = try TusEndeavour(fake, checksWhole: true)
        try await endeavour.fails(Self.unclear, "broken")
        #expect(try await endeavour.arrives(at: fake, evidence: nil) == 0)
        #expect(fake.now.begun == 1)
    }

    @Test func `a lost answer of a server that remembers whole uploads sends nothing again`() async throws {
        let fake = FakeTus(after: { sent, _, _ in sent.step == .add && sent.number == 5 ? Self.broken : nil })
        fake.change { $0.remembers = true }
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        #expect(try await endeavour.arrives(at: fake) == 0)
    }

    /// A server that has all of an upload and still scans it when the connection breaks.
    private func scanning() -> FakeTus {
        let fake = FakeTus(after: { sent, _, state in
            guard sent.step == .add, sent.number == 5 else { return nil }
            state.files = [:]
            return Self.broken
        })
        fake.change { $0.remembers = true }
        return fake
    }

    @Test func `a whole upload that gets its name late sends nothing again`() async throws {
        let fake = scanning()
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        try await endeavour.fails(.retry(after: .seconds(5)), HTTPFailure.noAnswerCode)
        fake.change { $0.files = [endeavour.temporary.encoded: endeavour.bytes.content] }
        #expect(try await endeavour.arrives(at: fake) == 0)
    }

    /// The server may have refused it in the end, such as after a search for viruses.
    @Test func `a whole upload that never gets its name begins anew after four looks`() async throws {
        let fake = scanning()
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        for seconds in [5, 15, 60, 120] as [Int64] {
            try await endeavour.fails(.retry(after: .seconds(seconds)), HTTPFailure.noAnswerCode)
        }
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count)
        #expect(fake.now.uploads.count == 1 && fake.now.begun == 2)
    }

    // MARK: Offsets

    @Test func `an offset that went back is followed`() async throws {
        let fake = FakeTus(before: { sent, state in
            if sent.step == .add, sent.number == 4, let path = state.uploads.keys.first {
                state.uploads[path]?.bytes.removeLast(40_000)
            }
            return nil
        })
        let endeavour = try TusEndeavour(fake)
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count + 40_000)
        #expect(fake.now.sent.count { $0.step == .look } == 1)
    }

    @Test func `an offset that goes back again and again is asked for once`() async throws {
        let fake = FakeTus(before: { sent, state in
            if sent.step == .add, sent.number > 2, let path = state.uploads.keys.first {
                state.uploads[path]?.bytes.removeLast(sent.number * 100)
            }
            return nil
        })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.again, "conflict")
        #expect(fake.now.sent.count { $0.step == .look } == 1)
    }

    @Test func `an answer without an offset asks for it`() async throws {
        let fake = FakeTus(after: { sent, _, _ in sent.step == .add ? Self.reply(204) : nil })
        fake.change { $0.remembers = true }
        let endeavour = try TusEndeavour(fake)
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count)
    }

    @Test(arguments: ["0", "\(32 << 10)", "-1", "1e9", "", "99999999999999999999"])
    func `an offset that makes no sense fails and is asked for`(offset: String) async throws {
        let fake = FakeTus(after: { sent, _, _ in
            (sent.step == .add && sent.number == 2) || (sent.step == .look && sent.number == 1)
                ? Self.reply(204, [("Upload-Offset", offset)]) : nil
        })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.again, "bad-answer")
        try await endeavour.arrives(at: fake)
    }

    @Test(arguments: [(32 << 10) + 1, 1 << 40])
    func `an offset beyond what was sent begins anew`(beyond: Int) async throws {
        let fake = FakeTus(after: { sent, _, _ in
            sent.step == .add && sent.number == 1 ? Self.reply(204, [("Upload-Offset", "\(beyond)")]) : nil
        })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.again, "bad-answer")
        #expect(endeavour.note == nil && fake.now.uploads.isEmpty)
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count)
    }

    @Test func `pieces that are always cut short end the attempt`() async throws {
        let fake = FakeTus(after: { sent, _, state in
            guard sent.step == .add, sent.number <= 8, let path = state.uploads.keys.first else { return nil }
            let content = ScriptedContent.bytes
            state.uploads[path]?.bytes = Array(content[..<(sent.number * 10)])
            return Self.reply(204, [("Upload-Offset", "\(sent.number * 10)")])
        })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.again, "bad-answer")
        #expect(endeavour.landed == 70 && fake.now.sent.count { $0.step == .add } == 8)
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count - 80)
    }

    @Test func `a piece cut short goes on from there`() async throws {
        let fake = FakeTus(after: { sent, _, state in
            guard sent.step == .add, sent.number == 2, let path = state.uploads.keys.first else { return nil }
            state.uploads[path]?.bytes.removeLast(10_000)
            return Self.reply(204, [("Upload-Offset", "\((64 << 10) - 10_000)")])
        })
        let endeavour = try TusEndeavour(fake, pieceDigest: .sha1)
        #expect(try await endeavour.arrives(at: fake, evidence: nil) == endeavour.bytes.content.count + 10_000)
    }

    // MARK: Resuming

    /// Answers on HEAD after which an upload cannot go on.
    static let useless: [[(name: String, value: String)]] = [
        [], [("Upload-Offset", "x")], [("Upload-Offset", "999999999")],
        [("Upload-Offset", "10"), ("Upload-Length", "11")],
        [
            ("Upload-Offset", "65536"), ("Upload-Expires", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("Date", "Sun, 06 Nov 1994 08:49:38 GMT"),
        ],
    ]

    @Test(arguments: useless.indices)
    func `an upload that cannot go on begins anew, and ends it`(index: Int) async throws {
        let fake = FakeTus(
            before: { sent, _ in sent.step == .add && sent.number == 3 ? Self.broken : nil },
            after: { sent, _, _ in sent.step == .look ? Self.reply(200, Self.useless[index]) : nil })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count)
        #expect(fake.now.begun == 2 && fake.now.uploads.isEmpty)
    }

    @Test func `an upload that has not expired by the server's clock goes on`() async throws {
        let fake = FakeTus(
            before: { sent, _ in sent.step == .add && sent.number == 3 ? Self.broken : nil },
            after: { sent, answer, _ in
                guard sent.step == .look else { return nil }
                let clock = [
                    ("Upload-Expires", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:36 GMT"),
                ]
                return Self.reply(200, answer.headers + clock)
            })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count - 2 * part)
    }

    @Test(arguments: [400, 403, 404, 405, 410, 412, 418])
    func `a server that does not know its upload begins anew`(status: Int) async throws {
        let fake = FakeTus(
            before: { sent, _ in
                sent.step == .add && sent.number == 3 ? Self.broken : sent.step == .look ? Self.reply(status) : nil
            })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count)
    }

    @Test(arguments: [401, 423, 425, 429, 500, 502, 503])
    func `a server in trouble keeps what it has for later`(status: Int) async throws {
        let fake = FakeTus(
            before: { sent, _ in
                sent.step == .add && sent.number == 3
                    ? Self.broken : sent.step == .look && sent.number == 1 ? Self.reply(status) : nil
            })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.unclear, "broken")
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        #expect(try await endeavour.arrives(at: fake) == endeavour.bytes.content.count - 2 * part)
    }

    @Test func `a note of another name or kind is left alone`() async throws {
        let fake = FakeTus()
        let endeavour = try TusEndeavour(fake)
        let other = DAVPath(["dav", "b"], isCollection: false)
        endeavour.checkpoint = UploadCheckpoint(.tus, temporary: other, upload: "/data/7").checkpoint
        try await endeavour.arrives(at: fake)
        #expect(fake.now.sent.allSatisfy { $0.path != "/data/7" })
    }

    // MARK: Where uploads are

    @Test(arguments: ["", "http://127.0.0.1:9/data/1\r\nX: y", "/data/../1", "ftp://127.0.0.1/1", "?1", "http://a@b/1"])
    func `a location that is none is not followed`(location: String) async throws {
        let fake = FakeTus(after: { sent, _, _ in
            sent.step == .begin && sent.number == 1 ? Self.reply(201, [("Location", location)]) : nil
        })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.again, "bad-answer")
        #expect(fake.now.sent.count == 1 && endeavour.note == nil)
        try await endeavour.arrives(at: fake)
    }

    @Test(arguments: ["http://evil.example/data/1", "//evil.example/data/1", "https://127.0.0.2/1"])
    func `a location at another host is not followed`(location: String) async throws {
        let fake = FakeTus(after: { sent, _, _ in
            sent.step == .begin ? Self.reply(201, [("Location", location)]) : nil
        })
        let endeavour = try TusEndeavour(fake)
        try await endeavour.fails(Self.misconfigured, "redirected")
        #expect(fake.now.sent.count == 1)
    }

    @Test func `no location at all fails`() async throws {
        let fake = FakeTus(after: { sent, _, _ in sent.step == .begin ? Self.reply(201) : nil })
        try await TusEndeavour(fake).fails(Self.again, "bad-answer")
    }

    // MARK: Digests

    @Test func `a server that checks pieces has verified them`() async throws {
        let fake = FakeTus(checksPieces: true)
        try await TusEndeavour(fake, pieceDigest: .sha1).arrives(at: fake, evidence: .verified)
    }

    @Test func `a piece that comes damaged is sent again`() async throws {
        let fake = FakeTus(
            checksPieces: true,
            before: { sent, _ in sent.step == .add && sent.number == 3 ? Self.reply(460) : nil })
        let endeavour = try TusEndeavour(fake, pieceDigest: .sha1)
        try await endeavour.fails(Self.again, "damaged")
        #expect(try await endeavour.arrives(at: fake, evidence: nil) == endeavour.bytes.content.count - 2 * part)
    }

    @Test func `a server that checks the whole is told its digest and has verified it`() async throws {
        let fake = FakeTus(after: { sent, _, state in
            if sent.step == .begin {
                #expect(state.uploads.values.first?.sha1?.hasPrefix("sha1 ") == true)
            }
            return nil
        })
        try await TusEndeavour(fake, checksWhole: true).arrives(at: fake, evidence: .verified)
    }

    @Test func `a server that checks nothing is told no digest`() async throws {
        let fake = FakeTus()
        try await TusEndeavour(fake).arrives(at: fake, evidence: nil)
        #expect(fake.now.sent.allSatisfy { $0["Upload-Checksum"] == nil })
    }
}

/// What every ``TusEndeavour`` sends, unless told otherwise.
private enum ScriptedContent {
    static let bytes = ScriptedBytes.content(count: 4 * TusEndeavour.partSize + 5000)
}

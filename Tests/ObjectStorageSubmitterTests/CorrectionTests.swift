import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// What an answer shows to be wrong with a request is put right and tried once, and not more often.
@Suite struct `A signature` {
    private static let dated = HTTPResponse.error(403, "RequestTimeTooSkewed", headers: [("Date", httpDate(.now))])

    private static func httpDate(_ time: Timestamp) -> String {
        let text = SigningTime(secondsSince1970: time.seconds).text
        let digits = Array(text)
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // The day of the week is not looked at.
        return "Sun, \(part(6..<8)) \(months[Int(part(4..<6))! - 1]) \(part(0..<4)) "
            + "\(part(9..<11)):\(part(11..<13)):\(part(13..<15)) GMT"
    }

    /// Days, so that the request's date tells them apart.
    private static func clock(daysBehind: Int64) -> @Sendable () -> Timestamp {
        { Timestamp(nanoseconds: Timestamp.now.nanoseconds - daysBehind * 86_400_000_000_000) }
    }

    private static func isSkewed(_ sent: FakeStorage.Sent) -> Bool {
        let now = SigningTime(secondsSince1970: Timestamp.now.seconds).text
        return sent["x-amz-date"]?.prefix(7) != now.prefix(7)
    }

    private static func asHead(_ sent: FakeStorage.Sent, _ answer: HTTPResponse) -> HTTPResponse {
        sent.method == "HEAD" ? HTTPResponse(status: answer.status, headers: answer.headers) : answer
    }

    @Test func `by a clock that is wrong is corrected once, from the answer's date`() async throws {
        let endeavour = try Endeavour(
            FakeStorage { Self.isSkewed($0) ? .success(Self.asHead($0, Self.dated)) : nil },
            clock: Self.clock(daysBehind: 20))
        try await endeavour.arrives()
        // The HEAD and the GET that explains it; nothing after them.
        #expect(endeavour.storage.sent.count { Self.isSkewed($0) } == 2)
    }

    @Test func `by a clock that goes wrong in the middle of a file is corrected without an end to it`() async throws {
        let isWrong = Locked(false)
        let wrong = Self.clock(daysBehind: 20)
        let endeavour = try Endeavour(
            FakeStorage(
                script: { sent in
                    if Step(sent) == .part(3) { isWrong.withLock { $0 = true } }
                    return Self.isSkewed(sent) ? .success(Self.asHead(sent, Self.dated)) : nil
                }),
            clock: { isWrong.withLock { $0 } ? wrong() : .now })
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
        #expect(endeavour.storage.sent.count { Self.isSkewed($0) } == 1)
    }

    @Test func `that is called skewed whatever its time holds the destination`() async throws {
        let endeavour = try Endeavour(FakeStorage { .success(Self.asHead($0, Self.dated)) })
        try await endeavour.fails(.hold(.misconfigured, after: nil), "clock")
        #expect(endeavour.storage.sent.count == 3)
    }

    @Test func `called skewed by a server that names no date holds the destination at once`() async throws {
        let endeavour = try Endeavour(
            FakeStorage { .success(Self.asHead($0, .error(403, "RequestTimeTooSkewed"))) })
        try await endeavour.fails(.hold(.misconfigured, after: nil), "clock")
        #expect(endeavour.storage.sent.count == 2)
    }

    private static func region(_ sent: FakeStorage.Sent) -> Substring? {
        sent["authorization"]?.firstMatch(of: /Credential=AKID\/\d+\/([^\/]*)\//)?.1
    }

    @Test(arguments: [301, 307, 400])
    func `for another region is made for the one that the server names, and stays so`(status: Int) async throws {
        let endeavour = try Endeavour(
            FakeStorage { sent in
                if Self.region(sent) == "eu-west-3" { return nil }
                let inHeader = status != 400
                let answer = HTTPResponse(
                    status: status, headers: inHeader ? [("x-amz-bucket-region", "eu-west-3")] : [],
                    body: HTTPResponse.xml(
                        inHeader ? "PermanentRedirect" : "AuthorizationHeaderMalformed",
                        region: inHeader ? nil : "eu-west-3"))
                return .success(Self.asHead(sent, answer))
            })
        try await endeavour.arrives()
        #expect(endeavour.storage.sent.count { Self.region($0) != "eu-west-3" } <= 2)
    }

    @Test func `sent from region to region is followed once`() async throws {
        let endeavour = try Endeavour(
            FakeStorage { sent in
                let other = Self.region(sent) == "eu-west-3" ? "eu-north-1" : "eu-west-3"
                return .success(
                    HTTPResponse(status: 301, headers: [("x-amz-bucket-region", other)]))
            })
        try await endeavour.fails(.hold(.misconfigured, after: nil), "wrong-region")
        #expect(endeavour.storage.sent.count <= 4)
    }

    /// A submitter whose credentials are handed out for an hour, each with a token of its own.
    private static func temporary(
        _ storage: FakeStorage, _ fetched: Locked<Int>
    ) throws -> Endeavour {
        let keys = ExpiringValue<SigningKey>(now: { .now }) { () throws(SubmitFailure) in
            let number = fetched.withLock {
                $0 += 1
                return $0
            }
            let key = AccessKey(id: "AKID", secret: FakeStorage.secret, sessionToken: "token-\(number)")
            return (SigningKey(key), Timestamp(nanoseconds: Timestamp.now.nanoseconds + 3_600_000_000_000))
        }
        let service = S3Service(
            endpoint: try Endpoint(FakeStorage.origin), region: "us-east-1", isPathStyle: true, keys: keys,
            profile: .smallParts, headers: ObjectHeaders(), prefix: "",
            partSize: Int64(Endeavour.partSize), partsAbove: 1024, jobs: 2,
            notes: DestinationSettings(destination: "bucket", values: [:], secrets: [:]).notes, transport: storage,
            clock: { .now })
        return Endeavour(
            storage,
            ObjectStorageSubmitter(
                service, container: try service.container("photos"), albums: .prefix, prefix: "",
                template: try PathTemplate("{name}"), creates: false, verification: .usual,
                preflight: PreflightPolicy(partsAbove: 1024),
                capabilities: Capabilities(ordering: .concurrent(2), requiresNetwork: true)))
    }

    @Test func `with a token that ends in the middle of a file goes on with a new one`() async throws {
        let isOver = Locked(false)
        let storage = FakeStorage { sent in
            if Step(sent) == .part(3) { isOver.withLock { $0 = true } }
            let isRefused = isOver.withLock { $0 } && sent["x-amz-security-token"] == "token-1"
            return isRefused ? .success(.error(400, "ExpiredToken")) : nil
        }
        let fetched = Locked(0)
        let endeavour = try Self.temporary(storage, fetched)
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
        #expect(fetched.withLock { $0 } == 2)
    }

    @Test func `with tokens that are all refused waits for someone, after one new one`() async throws {
        let storage = FakeStorage { sent in
            if case .part = Step(sent) { .success(.error(400, "ExpiredToken")) } else { nil }
        }
        let fetched = Locked(0)
        let endeavour = try Self.temporary(storage, fetched)
        try await endeavour.fails(.renewCredentials, "credentials")
        // Two parts at once, each of which tries one new token, which may be the same.
        #expect((2...3).contains(fetched.withLock { $0 }))
        #expect(storage.steps.count { if case .part = $0 { true } else { false } } <= 4)
    }

    @Test func `by a key that is refused in the middle of a file waits for another, and goes on with it`() async throws
    {
        let once = Once(.part(3))
        let endeavour = try Endeavour(
            FakeStorage { once.strikes($0) ? .success(.error(403, "InvalidAccessKeyId")) : nil })
        try await endeavour.fails(.renewCredentials, "credentials")
        #expect(endeavour.storage.steps.count { $0 == .part(3) } == 1)
        #expect(try await endeavour.arrives() == 2 * Endeavour.partSize + 5000)
    }
}

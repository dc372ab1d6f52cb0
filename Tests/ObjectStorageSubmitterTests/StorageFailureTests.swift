import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

struct AnswerToPut: Sendable, CustomTestStringConvertible {
    var status: Int
    var code: String?
    var headers: [(name: String, value: String)] = []
    var remedy: Remedy
    var word: String

    var testDescription: String { "\(status) \(code ?? "")" }

    var response: HTTPResponse {
        if let code { return .error(status, code, headers: headers) }
        return HTTPResponse(status: status, headers: headers)
    }

    static let again = Remedy.retry(after: nil)
    static let misconfigured = Remedy.hold(.misconfigured, after: nil)
    static let wait = [(name: "Retry-After", value: "7")]
    static let page = [(name: "Content-Type", value: "text/html; charset=utf-8")]

    static let all: [AnswerToPut] = [
        .init(status: 401, remedy: .renewCredentials, word: "credentials"),
        .init(status: 403, code: "InvalidAccessKeyId", remedy: .renewCredentials, word: "credentials"),
        .init(status: 403, code: "SignatureDoesNotMatch", remedy: .renewCredentials, word: "credentials"),
        .init(status: 400, code: "ExpiredToken", remedy: .renewCredentials, word: "credentials"),
        .init(status: 400, code: "InvalidToken", remedy: .renewCredentials, word: "credentials"),
        .init(status: 403, code: "AccessDenied", remedy: misconfigured, word: "access-denied"),
        .init(status: 403, remedy: misconfigured, word: "access-denied"),
        .init(status: 403, code: "RequestTimeTooSkewed", remedy: misconfigured, word: "clock"),
        .init(status: 404, code: "NoSuchBucket", remedy: misconfigured, word: "no-bucket"),
        .init(status: 301, code: "PermanentRedirect", remedy: misconfigured, word: "wrong-endpoint"),
        .init(
            status: 301, code: "PermanentRedirect", headers: [("x-amz-bucket-region", "eu-west-3")],
            remedy: misconfigured, word: "wrong-region"),
        .init(status: 307, code: "TemporaryRedirect", remedy: misconfigured, word: "wrong-endpoint"),
        .init(status: 400, code: "AuthorizationHeaderMalformed", remedy: misconfigured, word: "wrong-endpoint"),
        .init(status: 429, headers: wait, remedy: .hold(.throttled, after: .seconds(7)), word: "throttled"),
        .init(
            status: 503, code: "SlowDown", headers: wait, remedy: .hold(.throttled, after: .seconds(7)),
            word: "throttled"),
        .init(status: 503, code: "SlowDown", remedy: .hold(.throttled, after: nil), word: "throttled"),
        .init(status: 500, code: "InternalError", remedy: .tryAnother(after: nil), word: "server-error"),
        .init(status: 502, headers: page, remedy: .tryAnother(after: nil), word: "unavailable"),
        .init(status: 503, headers: wait, remedy: .tryAnother(after: .seconds(7)), word: "unavailable"),
        .init(status: 504, remedy: .tryAnother(after: nil), word: "unavailable"),
        .init(status: 507, remedy: .hold(.full, after: nil), word: "full"),
        .init(status: 403, code: "QuotaExceeded", remedy: .hold(.full, after: nil), word: "full"),
        .init(status: 413, headers: page, remedy: .giveUp, word: "too-large"),
        .init(status: 400, code: "EntityTooLarge", remedy: .giveUp, word: "too-large"),
        .init(status: 400, code: "BadDigest", remedy: again, word: "damaged"),
        .init(status: 400, code: "InvalidDigest", remedy: again, word: "damaged"),
        .init(status: 400, code: "XAmzContentSHA256Mismatch", remedy: again, word: "damaged"),
        .init(status: 400, code: "RequestTimeout", remedy: .tryAnother(after: nil), word: "damaged"),
        .init(status: 422, remedy: again, word: "damaged"),
        .init(status: 409, code: "OperationAborted", remedy: again, word: "conflict"),
        .init(status: 400, code: "KeyTooLongError", remedy: .giveUp, word: "refused"),
        .init(status: 400, code: "InvalidRequest", remedy: .giveUp, word: "refused"),
        .init(status: 418, remedy: .giveUp, word: "refused"),
        .init(status: 200, headers: page, remedy: misconfigured, word: "wrong-endpoint"),
        .init(status: 400, headers: page, remedy: misconfigured, word: "wrong-endpoint"),
        .init(status: 404, headers: page, remedy: misconfigured, word: "wrong-endpoint"),
        .init(status: 405, remedy: misconfigured, word: "wrong-endpoint"),
        .init(status: 200, code: "InternalError", remedy: .tryAnother(after: nil), word: "server-error"),
    ]
}

@Suite struct `An answer of an object storage` {
    @Test func `that a quota is reached says that there is no room, whatever its code`() async throws {
        let storage = FakeStorage { sent in
            if sent.method == "HEAD" { return .success(HTTPResponse(status: 404)) }
            let body = HTTPResponse.xml("AccessDenied", message: FakeUploads.quotaReached)
            return .success(HTTPResponse(status: 403, body: body))
        }
        let failure = await #expect(throws: SubmitFailure.self) { try await storage.submitter().submit([1, 2, 3]) }
        #expect(failure?.code == "full" && failure?.remedy == .hold(.full, after: nil))
    }

    @Test(arguments: AnswerToPut.all)
    func `on a PUT gets the remedy that mends it`(answer: AnswerToPut) async throws {
        let storage = FakeStorage { sent in
            var response = answer.response
            if sent.method == "HEAD" { return .success(HTTPResponse(status: 404)) }
            if response.body.isEmpty, response["Content-Type"] != nil { response.body = Array("<html>Hello".utf8) }
            return .success(response)
        }
        let submitter = try storage.submitter(["region": "eu-north-1"])
        // As overwrite, so that a conflict is the storage's own.
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit([1, 2, 3], onConflict: .overwrite)
        }
        #expect(failure?.remedy == answer.remedy)
        #expect(failure?.code == answer.word)
        let sentence = try #require(failure?.message)
        #expect(sentence.contains("“a.jpg”") && sentence.contains("photos") && sentence.hasSuffix("."))
        #expect(!sentence.contains(FakeStorage.secret))
    }

    @Test(arguments: AnswerToPut.all.filter { $0.status >= 300 && $0.status != 404 && $0.status != 409 })
    func `on a HEAD is explained by a GET, which has a body`(answer: AnswerToPut) async throws {
        let storage = FakeStorage { sent in
            .success(
                sent.method == "HEAD"
                    ? HTTPResponse(status: answer.status, headers: answer.headers) : answer.response)
        }
        let submitter = try storage.submitter(["region": "eu-north-1"])
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter.submit([1, 2, 3]) }
        // A region that is named is tried.
        #expect(storage.sent.count <= 3)
        // A HEAD's 5xx and 429 say enough, whatever a body would add.
        if answer.status < 429 { #expect(failure?.remedy == answer.remedy && failure?.code == answer.word) }
    }

    @Test func `names the region to configure`() async throws {
        let storage = FakeStorage { _ in
            .success(HTTPResponse(status: 400, headers: [("x-amz-bucket-region", "eu-west-3")]))
        }
        let failure = await #expect(throws: SubmitFailure.self) { try await storage.submitter().check() }
        #expect(failure?.message.contains("eu-west-3") == true)
    }

    @Test(arguments: [
        HTTPResponse(status: 403, body: Array("<!DOCTYPE a [<!ENTITY e 'x'>]><Error><Code>&e;</Code></Error>".utf8)),
        HTTPResponse(status: 403, body: Array("<Error><Code>Slow".utf8)),
        HTTPResponse(status: 403, body: Array(repeating: 0xFF, count: 70_000)),
        HTTPResponse(status: 403, body: Array("<Other><Code>SlowDown</Code></Other>".utf8)),
    ])
    func `that is hostile or broken counts by its status`(response: HTTPResponse) async throws {
        let storage = FakeStorage { sent in .success(sent.method == "HEAD" ? HTTPResponse(status: 404) : response) }
        let failure = await #expect(throws: SubmitFailure.self) { try await storage.submitter().submit([1]) }
        #expect(failure?.code == "access-denied")
    }

    @Test func `that echoes our secrets does not get them into a sentence`() async throws {
        let echo = "\(FakeStorage.token) and \(FakeStorage.secret)\n" + String(repeating: "x", count: 1000)
        let body = "<Error><Code>Strange</Code><Message>\(echo)</Message></Error>"
        let storage = FakeStorage { sent in
            .success(
                sent.method == "HEAD" ? HTTPResponse(status: 404) : HTTPResponse(status: 400, body: Array(body.utf8)))
        }
        let submitter = try storage.submitter(secrets: ["session_token": FakeStorage.token])
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter.submit([1]) }
        let sentence = try #require(failure?.message)
        #expect(sentence.contains("Strange") && sentence.contains("… and …"))
        #expect(!sentence.contains(FakeStorage.token) && !sentence.contains(FakeStorage.secret))
        #expect(!sentence.contains("\n") && sentence.utf8.count < 600)
    }

    @Test func `from a portal that says yes to everything holds the destination`() async throws {
        let storage = FakeStorage { _ in
            .success(HTTPResponse(status: 200, headers: [("Content-Type", "text/html")], body: Array("Log in".utf8)))
        }
        let failure = await #expect(throws: SubmitFailure.self) { try await storage.submitter().submit([1]) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil) && failure?.code == "wrong-endpoint")
    }

    @Test(arguments: [
        (StorageAnswer(status: 404), "nothing there", 3),
        (StorageAnswer(status: 200, size: 0), "0 bytes of 3", 3),
        (StorageAnswer(status: 200, size: 0, isOurs: true), "removed", 4),
    ])
    func `that says yes and stores something else is tried again`(
        second: StorageAnswer, words: String, requests: Int
    ) async throws {
        let answers = StorageAnswers([
            .success(HTTPResponse(status: 404)), .success(HTTPResponse(status: 200)), .success(second.response),
            .success(HTTPResponse(status: 204)),
        ])
        let storage = FakeStorage(script: answers.next)
        let failure = await #expect(throws: SubmitFailure.self) { try await storage.submitter().submit([1, 2, 3]) }
        #expect(failure?.remedy == .retry(after: nil) && failure?.code == "not-stored")
        #expect(failure?.message.contains(words) == true)
        #expect(storage.sent.count == requests && (requests == 3 || storage.sent.last?.method == "DELETE"))
    }

    @Test func `that never came means what the transport says`() async throws {
        for (failure, remedy) in [
            (HTTPFailure.cannotConnect("refused"), Remedy.hold(.unreachable, after: nil)),
            (.untrusted("self-signed"), .hold(.misconfigured, after: nil)),
            (.stalled(afterBody: false), .tryAnother(after: nil)), (.stalled(afterBody: true), .retry(after: nil)),
            (.cancelled, .cancelled),
        ] {
            let storage = FakeStorage { sent in sent.method == "PUT" ? .failure(failure) : nil }
            let thrown = await #expect(throws: SubmitFailure.self) { try await storage.submitter().submit([1]) }
            #expect(thrown?.remedy == remedy)
        }
    }
}

struct StorageAnswer: Sendable {
    var status: Int
    var size: Int?
    var isOurs = false

    var response: HTTPResponse {
        var headers = size.map { [(name: "Content-Length", value: "\($0)")] } ?? []
        if isOurs { headers.append(("x-amz-meta-sha256", [1, 2, 3].sha256)) }
        return HTTPResponse(status: status, headers: headers)
    }
}

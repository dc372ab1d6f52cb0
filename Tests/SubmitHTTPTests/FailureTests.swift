import Submit
import SubmitHTTP
import Testing

struct FailureTests {
    static let source = SubmitFailure(.giveUp, code: "source-changed", "“a.jpg” changed.")

    static let table: [(HTTPFailure, Remedy, String)] = [
        (.unknownHost("x"), .park(.unreachable, afterMilliseconds: nil), "unknown-host"),
        (.cannotConnect("x"), .park(.unreachable, afterMilliseconds: nil), "cannot-connect"),
        (.proxy("x"), .park(.unreachable, afterMilliseconds: nil), "proxy"),
        (.untrusted("x"), .park(.misconfigured, afterMilliseconds: nil), "untrusted"),
        (.stalled(afterBody: false), .tryAnother(afterMilliseconds: nil), "stalled"),
        (.stalled(afterBody: true), .tryAnother(afterMilliseconds: nil), "stalled"),
        (.broken("x", afterBody: false), .tryAnother(afterMilliseconds: nil), "broken"),
        (.broken("x", afterBody: true), .tryAnother(afterMilliseconds: nil), "broken"),
        (.badAnswer("x"), .tryAnother(afterMilliseconds: nil), "bad-answer"),
        (.badRequest("x"), .giveUp, "bad-request"),
    ]

    @Test(arguments: table)
    func `every failure has its remedy and a sentence`(failure: HTTPFailure, remedy: Remedy, code: String) {
        let told = failure.submitFailure(host: "photos.example", file: "a.jpg")
        #expect(told.remedy == remedy)
        #expect(told.code == code)
        #expect(told.sentence.contains("photos.example") && told.sentence.contains("“a.jpg”"))
        #expect(told.sentence.hasSuffix(".") && !told.sentence.contains("()"))
        #expect(!told.sentence.contains("was not sent"), "it may be of a look")
        #expect(!failure.submitFailure(host: "h", file: nil).sentence.contains(" for "))
    }

    @Test func `what is a failure already is passed on`() {
        #expect(HTTPFailure.body(Self.source).submitFailure(host: "h", file: "f") == Self.source)
        #expect(HTTPFailure.cancelled.submitFailure(host: "h", file: "f") == .cancelled)
        let redirected = HTTPFailure.refusedRedirect("Elsewhere.").submitFailure(host: "h", file: "f")
        #expect(redirected.sentence == "Elsewhere.")
        #expect(redirected.remedy == .park(.misconfigured, afterMilliseconds: nil))
    }
}

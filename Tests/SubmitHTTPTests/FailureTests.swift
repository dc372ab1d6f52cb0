import Submit
import SubmitHTTP
import Testing

struct FailureTests {
    static let source = SubmitFailure(.giveUp, code: "source-changed", message: "“a.jpg” changed.")

    static let table: [(HTTPFailure, Remedy, String)] = [
        (.unknownHost("x"), .hold(.unreachable, after: nil), "unknown-host"),
        (.cannotConnect("x"), .hold(.unreachable, after: nil), "cannot-connect"),
        (.proxy("x"), .hold(.unreachable, after: nil), "proxy"),
        (.untrusted("x"), .hold(.misconfigured, after: nil), "untrusted"),
        (.stalled(afterBody: false), .tryAnother(after: nil), "stalled"),
        (.stalled(afterBody: true), .tryAnother(after: nil), "stalled"),
        (.broken("x", afterBody: false), .tryAnother(after: nil), "broken"),
        (.broken("x", afterBody: true), .tryAnother(after: nil), "broken"),
        (.badAnswer("x"), .tryAnother(after: nil), "bad-answer"),
        (.badRequest("x"), .giveUp, "bad-request"),
    ]

    @Test(arguments: table)
    func `every failure has its remedy and a sentence`(failure: HTTPFailure, remedy: Remedy, code: String) {
        let told = failure.submitFailure(host: "photos.example", file: "a.jpg")
        #expect(told.remedy == remedy)
        #expect(told.code == code)
        #expect(told.message.contains("photos.example") && told.message.contains("“a.jpg”"))
        #expect(told.message.hasSuffix(".") && !told.message.contains("()"))
        #expect(!told.message.contains("was not sent"), "it may be of a look")
        #expect(!failure.submitFailure(host: "h", file: nil).message.contains(" for "))
    }

    @Test func `what is a failure already is passed on`() {
        #expect(HTTPFailure.body(Self.source).submitFailure(host: "h", file: "f") == Self.source)
        #expect(HTTPFailure.cancelled.submitFailure(host: "h", file: "f") == .cancelled)
        let redirected = HTTPFailure.refusedRedirect("Elsewhere.").submitFailure(host: "h", file: "f")
        #expect(redirected.message == "Elsewhere.")
        #expect(redirected.remedy == .hold(.misconfigured, after: nil))
    }
}

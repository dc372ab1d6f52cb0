import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A service that takes everything and answers nothing.
private struct Unanswering: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        request.sent?(request.body.length ?? 0)
        throw .stalled(afterBody: true)
    }
}

@Suite struct UnansweredTests {
    @Test(arguments: ["{ raw: file }", "{ multipart: [{ name: photo, file: true }] }"])
    func `an item that a service received whole and did not answer counts an attempt`(_ body: String) async throws {
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))
        let secrets = ["api_key": "k"]
        let submitter = try RecipeSubmitter(
            try Recipe(text: OneStep.recipe().replacing("{ raw: file }", with: body), path: "test.yaml"),
            DestinationSettings(
                destination: "mine", values: ["server": "https://a.example"], secrets: secrets,
                secretStore: TransientSecrets(secrets)), transport: Unanswering())
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(
                bytes.item(named: "a.jpg"), bytes: bytes, context: SubmissionContext(submission: "job-1"))
        }
        #expect(failure?.remedy == .retry(after: nil) && failure?.code == HTTPFailure.noAnswerCode, "\(failure as Any)")
        #expect(failure?.message.contains("received all of “a.jpg”") == true)
    }
}

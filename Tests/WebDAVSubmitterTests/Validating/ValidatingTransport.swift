import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitXML
import Testing

/// Passes requests on, and writes down what in them RFC 4918, RFC 9110 and RFC 9112 do not allow.
struct ValidatingTransport: HTTPTransport {
    let next: any HTTPTransport
    private let record = Record()

    /// What was found wrong, and how many requests were looked at.
    final class Record: Sendable {
        private let state = Locked<(violations: [String], requests: Int)>(([], 0))

        var violations: [String] { state.withLock { $0.violations } }
        var requests: Int { state.withLock { $0.requests } }

        func add(_ violations: [String]) {
            state.withLock {
                $0.violations += violations
                $0.requests += 1
            }
        }

        /// Fails the test that has sent something wrong.
        func expectNone(_ location: SourceLocation = #_sourceLocation) {
            let violations = violations
            #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))", sourceLocation: location)
        }
    }

    init(_ next: any HTTPTransport) { self.next = next }

    var found: Record { record }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let violations = RequestCheck(request).violations
        record.add(violations)
        // In the test that sent it, where a task of the test did.
        if !violations.isEmpty { Issue.record("\(violations.joined(separator: "\n"))") }
        return try await next.send(request)
    }
}

import Foundation
import Submit
import SubmitCatalogue
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import SubmitLoopBack
import TestServers

/// A service on this machine that plays a shop: it answers what a test says, and keeps what it was asked.
struct Shop: Sendable {
    let server: ScriptedServer
    private let log: Locked<[ReceivedRequest]>
    private let transport: CurlTransport

    /// - Parameter answer: the whole answer on a request.
    init(_ answer: @escaping @Sendable (ReceivedRequest) -> String) throws {
        let log = Locked<[ReceivedRequest]>([])
        self.log = log
        server = .answering { request in
            log.withLock { $0.append(request) }
            return answer(request)
        }
        transport = try CurlTransport(CurlConfiguration(userAgent: "test"))
    }

    /// A shop that always says the same.
    init(saying body: String, _ status: Int = 200, _ headers: [String] = []) throws {
        try self.init { _ in ScriptedServer.answer(status, headers, body) }
    }

    var requests: [ReceivedRequest] { log.withLock { $0 } }

    func catalogue(_ change: (inout LoopBackSettings) -> Void = { _ in }) throws -> LoopBackCatalogue {
        var settings = LoopBackSettings(try Endpoint(server.endpoint + "/api/Products"))
        change(&settings)
        return LoopBackCatalogue(settings, transport: transport)
    }

    /// The filter of the last request, as it was meant.
    var lastFilter: String? { requests.last.flatMap { Self.filter(of: $0) } }

    static func filter(of request: ReceivedRequest) -> String? {
        guard let start = request.target.firstRange(of: "filter=") else { return nil }
        return String(request.target[start.upperBound...]).removingPercentEncoding
    }
}

extension LoopBackCatalogue {
    /// Why the first page of all records does not come.
    func refusal() async -> SubmitFailure? {
        do throws(DatasourceFault) {
            _ = try await page(try! DatasourceQuestion(), after: nil)
            return nil
        } catch {
            if case .source(let failure) = error { return failure }
            return nil
        }
    }
}

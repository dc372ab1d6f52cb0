internal import Submit
internal import SubmitHTTP

/// What requests prove with who sends them: transports that add it. Nothing that prints them shows their secrets.
struct RecipeCredentials: Sendable {
    /// For requests that show the destination's own credentials, to its hosts and to no others.
    let standard: any HTTPTransport
    /// For those that show a secret that a login kept under this name.
    let kept: @Sendable (String) -> any HTTPTransport
    /// The headers that they add, for plans.
    let headerNames: [String]

    init(
        standard: any HTTPTransport, kept: (@Sendable (String) -> any HTTPTransport)? = nil, headerNames: [String]
    ) {
        self.standard = standard
        self.kept = kept ?? { _ in standard }
        self.headerNames = headerNames
    }
}

extension RecipeCredentials: CustomStringConvertible, CustomReflectable {
    var description: String { "credentials in \(headerNames.joined(separator: ", "))" }

    var customMirror: Mirror { Mirror(self, children: []) }
}

/// A transport that adds a header, to some origins and to no others.
struct HeaderTransport: HTTPTransport, CustomStringConvertible, CustomReflectable {
    private let transport: any HTTPTransport
    private let hosts: RecipeHosts
    private let header: @Sendable () async throws(SubmitFailure) -> (name: String, value: String)

    init(
        _ transport: any HTTPTransport, hosts: RecipeHosts,
        header: @escaping @Sendable () async throws(SubmitFailure) -> (name: String, value: String)
    ) {
        self.transport = transport
        self.hosts = hosts
        self.header = header
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard hosts.allow(request.url) else { return try await transport.send(request) }
        var request = request
        do throws(SubmitFailure) {
            request.headers.append(try await header())
        } catch {
            throw error == .cancelled ? .cancelled : .credentials(error)
        }
        return try await transport.send(request)
    }

    var description: String { "header transport" }

    var customMirror: Mirror { Mirror(self, children: []) }
}

internal import Foundation

/// A stand-in of a photo service that can neither be installed here nor asked over the network.
/// `Tests/Servers/fake-services.py` says what each does, `fakeservices/` where that is from.
///
/// It is nobody else's as long as this value is held, and empty at first. Tests have the same process one after the
/// other, as starting one takes longer than most of them.
public final class ServiceServer: Sendable {
    public enum Service: String, Sendable, CaseIterable {
        case immich, mastodon, pixelfed, dropbox, flickr, x, facebook, tumblr, hatena, imgur, mixi
        case googlePhotos = "google-photos"
    }

    public let service: Service
    /// Where all of the service's hosts are, without a slash at the end.
    public let endpoint: String
    /// The same by https.
    public let secureEndpoint: String
    /// The path of a PEM file that vouches for ``secureEndpoint``.
    public let certificateAuthority: String
    /// What its recipe calls its hosts, as in `https://api.dropboxapi.com`.
    public let hosts: [String]
    /// The address that a browser is sent back to, where the service knows only one.
    public let redirectURL: String?
    /// The header by which it knows whom to obey, for those who steer it over a connection of their own.
    public let controlHeader: (name: String, value: String)
    private let process: ServiceProcess

    public init(_ service: Service) async throws {
        self.service = service
        process = try await ServiceProcess.taken(service)
        let values = process.values
        endpoint = try values.value("ENDPOINT")
        secureEndpoint = try values.value("TLS_ENDPOINT")
        certificateAuthority = try values.value("CA")
        controlHeader = ("X-Fake-Control", try values.value("CONTROL"))
        hosts = values["HOSTS"]?.split(separator: " ").map(String.init) ?? []
        redirectURL = values["REDIRECT_URI"]
        try await reset()
    }

    deinit { ServiceProcess.giveBack(process, service) }

    /// What a client needs to know: `CLIENT_ID`, `CLIENT_SECRET`, `ACCESS_TOKEN`, `REFRESH_TOKEN`; `CONSUMER_KEY`,
    /// `CONSUMER_SECRET`, `OAUTH_TOKEN`, `OAUTH_TOKEN_SECRET`; `API_KEY`; `LOGIN`, `PAGE`, `PAGE_TOKEN`, `BLOG`: those
    /// that the service has. The tokens are good without a login.
    public func credential(_ name: String) throws -> String { try process.values.value(name) }

    /// A recipe's text with this, by https, in place of the service's hosts. It shows at once what it has taken.
    public func redirecting(_ recipe: String) -> String {
        hosts.reduce(recipe) { $0.replacing($1, with: secureEndpoint) }
            .replacing(/settles: \w+/, with: "settles: 1s")
    }

    /// All is as it was at the start, with these faults planned; credentials are as they were.
    public func reset(_ faults: CloudFault...) async throws {
        try await ask("POST", "reset", CloudFault.plan(faults))
    }

    /// Where it is told to do this, as in `reset`.
    public func controlURL(_ name: String) -> String { "\(endpoint)/__fake/\(name)" }

    // MARK: What it holds and saw

    /// What is at the service.
    public struct State: Sendable, Decodable {
        public struct Item: Sendable, Decodable, Hashable {
            public let id: String
            public let size: Int
            /// In hex.
            public let sha256: String
            public let name: String?
            public let title: String?
            public let caption: String?
            public let tags: String?
            /// Alternative text.
            public let alt: String?
            /// The folder or album it was put into, where an item is in one.
            public let album: String?
            public let folder: String?
        }

        public struct Post: Sendable, Decodable, Hashable {
            public let id: String
            public let text: String
            public let media: [String]
            /// Of its media, in hex.
            public let sha256: [String]
        }

        public struct Album: Sendable, Decodable, Hashable {
            public let id: String
            public let title: String
            /// `nil` where albums are folders.
            public let items: [String]?
        }

        public let items: [Item]
        public let posts: [Post]
        public let albums: [Album]
        /// Uploads that were begun and not ended.
        public let sessions: Int
        /// How many of the planned faults have not struck as often as they shall.
        public let openFaults: Int
    }

    public func state() async throws -> State {
        try JSONDecoder().decode(State.self, from: Data(try await ask("GET", "state").utf8))
    }

    /// A request as it saw it.
    public struct Request: Sendable, Decodable {
        /// From 1, in the order they came.
        public let number: Int
        /// What the stand-in calls it, as in `append`; empty for what it does not know.
        public let step: String
        public let method: String
        /// Decoded.
        public let path: String
        /// As it was sent.
        public let target: String
        /// Of `Authorization` only its scheme.
        public let headers: [String: String]
        /// 0: it got no answer.
        public let status: Int
        public let bodyBytes: Int
        /// A planned fault struck it.
        public let isFault: Bool

        public subscript(name: String) -> String? {
            headers.first { $0.key.lowercased() == name.lowercased() }?.value
        }
    }

    /// What came, oldest first, without what was sent to steer it.
    public func requests() async throws -> [Request] {
        try JSONDecoder().decode([Request].self, from: Data(try await ask("GET", "requests").utf8))
    }

    public func forgetRequests() async throws { try await ask("DELETE", "requests") }

    // MARK: What it shall do

    /// The next requests that match suffer these, each fault its own; see ``CloudFault/at(_:skip:times:)``.
    public func plan(_ faults: CloudFault...) async throws {
        try await ask("POST", "plan", CloudFault.plan(faults))
    }

    /// How many of the planned faults have not struck as often as they shall.
    public func openFaults() async throws -> Int { try await state().openFaults }

    public func clearPlan() async throws { try await ask("DELETE", "plan") }

    /// Holds from now on: JSON by the names of `fakeservices/`, as in `["maxPhoto": "1000", "checksTypes": "true"]`.
    public func change(_ settings: [String: String]) async throws {
        let pairs = settings.map { "\(quoted($0)):\($1)" }
        try await ask("POST", "settings", "{\(pairs.joined(separator: ","))}")
    }

    /// Lets the requests go on that a fault holds under this name, now and later.
    public func release(_ hold: String) async throws {
        try await ask("POST", "release", #"{"hold":\#(quoted(hold))}"#)
    }

    /// No access token is good any more; refresh tokens are.
    public func expireTokens() async throws { try await ask("POST", "expire-tokens") }

    /// Nor are those.
    public func revokeTokens() async throws { try await ask("POST", "revoke-tokens") }

    /// Uploads that were begun are gone.
    public func expireSessions() async throws { try await ask("POST", "expire-sessions") }

    /// Does what a person does on the page that a program opens in the browser, who consents.
    ///
    /// - Returns: where the browser is sent then; the code alone where it is shown to be typed.
    public func grant(_ authorization: String) async throws -> String {
        let answer = try await ChildProcess.output(
            of: [
                "curl", "-sSf", "--noproxy", "*", "--max-time", "60", "--cacert", certificateAuthority, "-w",
                "\n%{redirect_url}", authorization,
            ])
        if let code = answer.firstRange(of: "<code>") {
            return String(answer[code.upperBound...].prefix { $0 != "<" })
        }
        return answer.split(separator: "\n").last.map(String.init) ?? ""
    }

    @discardableResult
    private func ask(_ method: String, _ name: String, _ body: String? = nil) async throws -> String {
        let content = body.map { ["--data-binary", $0] } ?? []
        return try await ChildProcess.output(
            of: [
                "curl", "-sS", "--fail-with-body", "--noproxy", "*", "--max-time", "60", "-X", method, "-H",
                "\(controlHeader.name): \(controlHeader.value)",
            ] + content + [controlURL(name)])
    }
}

extension CloudFault {
    /// As the stand-ins are told of them.
    public static func plan(_ faults: [CloudFault]) throws -> String {
        String(decoding: try JSONEncoder().encode(faults), as: UTF8.self)
    }

    /// The same for a step of a ``ServiceServer``, as it names it; `skip` requests of it are spared first.
    public func at(_ step: String, skip: Int = 0, times: Int = 1) -> CloudFault {
        on("*", "^\(step) ", skip: skip, times: times)
    }
}

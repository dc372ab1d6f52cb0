internal import Submit
internal import SubmitHTTP

/// What a request proves with who sends it. Nothing that prints one shows its secrets.
protocol Credentials: Sendable {
    /// The request with what proves who we are. Called for each hop and each repetition anew.
    ///
    /// - Parameter fields: the text fields of its form or multipart body, for those who sign them.
    /// - Throws: ``Remedy/renewCredentials`` where nobody is signed in.
    func authorize(
        _ request: HTTPRequest, fields: BodyFields
    ) async throws(SubmitFailure) -> HTTPRequest

    /// The service refused what ``authorize(_:fields:)`` made. Gets other credentials where it can without a person.
    ///
    /// - Parameter request: as it was sent.
    /// - Returns: whether sending it again, authorized anew, may succeed.
    func renew(after request: HTTPRequest) async throws(SubmitFailure) -> Bool

    /// The names of the headers that it adds, for plans.
    var headerNames: [String] { get }

    /// A text in which our secrets are replaced by `…`.
    func redacted(_ text: String) -> String
}

/// The text fields of a body.
struct BodyFields: Sendable {
    enum Kind: Sendable {
        case none, form, multipart
    }

    var kind = Kind.none
    var fields: [(name: String, value: String)] = []
}

extension Credentials {
    func renew(after request: HTTPRequest) async throws(SubmitFailure) -> Bool { false }
}

/// A service that asks nobody who they are.
struct NoCredentials: Credentials {
    func authorize(_ request: HTTPRequest, fields: BodyFields) async throws(SubmitFailure) -> HTTPRequest { request }

    var headerNames: [String] { [] }

    func redacted(_ text: String) -> String { text }
}

/// One header that says it all: a key, or a name and a password.
struct HeaderCredentials: Credentials, CustomStringConvertible, CustomReflectable {
    private let name: String
    private let value: String
    private let secrets: [String]

    init(name: String, value: String, secrets: [String]) {
        self.name = name
        self.value = value
        self.secrets = ([value] + secrets).filter { $0.utf8.count >= 4 }
    }

    /// Basic (RFC 7617).
    init(user: String, password: String) {
        let token = "\(user):\(password)".utf8.base64
        self.init(name: "Authorization", value: "Basic " + token, secrets: [token, password])
    }

    func authorize(_ request: HTTPRequest, fields: BodyFields) async throws(SubmitFailure) -> HTTPRequest {
        var request = request
        request.headers.append((name, value))
        return request
    }

    var headerNames: [String] { [name] }

    func redacted(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "…") }
    }

    var description: String { "the header \(name)" }

    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Credentials that are not there.
struct MissingCredentials: Credentials {
    let failure: SubmitFailure
    let headerNames: [String]

    func authorize(_ request: HTTPRequest, fields: BodyFields) async throws(SubmitFailure) -> HTTPRequest {
        throw failure
    }

    func redacted(_ text: String) -> String { text }
}

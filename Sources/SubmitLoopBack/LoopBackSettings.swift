internal import Submit
public import SubmitCatalogue
public import SubmitHTTP

/// Where a service is that answers LoopBack's filters, and what is known of it.
public struct LoopBackSettings: Sendable {
    /// The URL of the records, such as `https://shop.example/api/Products`.
    public var endpoint: Endpoint
    /// Who asks.
    public var access: LoopBackAccess
    /// The secret may go over `http` to other machines: someone said aloud that it may.
    public var allowsPlain: Bool
    /// What there is to ask for.
    public var fields: DatasourceFields
    /// What always holds, whatever is asked.
    public var base: CatalogueFilter
    /// Where words are looked for. Of none they cannot be.
    public var searchable: [String]
    /// Words are looked for by `ilike`, which not all stores have; otherwise by `like`, which may mind the case.
    public var searchesCaseless: Bool
    /// The field that tells all records apart, by which they are ordered in the end so that pages have all of them; `nil`: there is
    /// none, and pages are as the service has them.
    public var identity: String?
    /// The field with a picture's URL or path.
    public var imageField: String?
    /// What a picture's path is relative to; `nil`: the URL of the records.
    public var imageBase: String?
    /// A path below the URL of the records that answers with the values of a field, as a list: `/distinct`. It is asked
    /// `?field=NAME&filter=…`. `nil`: there is none.
    public var distinctPath: String?
    /// The longest that one answer may take.
    public var limit: Duration
    /// The largest answer that is taken, in bytes.
    public var largestAnswer: Int

    /// A service of which nothing but its URL is known: any field may be asked for, words cannot be looked for, 30 s and 16 MiB
    /// for an answer.
    public init(_ endpoint: Endpoint, access: LoopBackAccess = .anyone) {
        self.endpoint = endpoint
        self.access = access
        allowsPlain = false
        fields = .any
        base = .everything
        searchable = []
        searchesCaseless = true
        identity = "id"
        limit = .seconds(30)
        largestAnswer = 16 << 20
    }
}

/// Who asks. Nothing that prints a value shows its secrets.
public enum LoopBackAccess: Sendable, Hashable {
    /// Nobody in particular.
    case anyone
    /// A password or a bearer token, as HTTP has them.
    case credentials(HTTPCredentials)
    /// A secret in a header of its own: LoopBack's access tokens stand in `X-Access-Token`, others in `X-IBM-Client-Id`.
    case header(name: String, secret: String)

    /// From now on no text shows the secret: see `KnownSecrets`.
    func makeKnown() {
        if case .header(_, let secret) = self { KnownSecrets.add(secret, isConfigured: true) }
    }
}

extension LoopBackAccess: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the kind, not the secret.
    public var description: String {
        switch self {
        case .anyone: "nobody in particular"
        case .credentials(let credentials): credentials.description
        case .header(let name, _): "a secret in \(name)"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

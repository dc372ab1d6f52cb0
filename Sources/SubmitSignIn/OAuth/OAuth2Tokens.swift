public import Submit

/// What OAuth 2 gives to use an account with (RFC 6749, section 5.1). Nothing that prints it shows a token.
public struct OAuth2Tokens: Sendable, Hashable {
    /// The token that goes with requests (RFC 6750).
    public var access: String
    /// With which the next access token is had; `nil` where there is none.
    public var refresh: String?
    /// When it came, by our clock.
    public var issued: Timestamp?
    /// Until when the access token is good, by our clock; `nil` where nobody knows.
    public var expires: Timestamp?
    /// What was granted; `nil` where the service did not say, which means what was asked for.
    public var scopes: [String]?

    /// - Parameters: see the properties. Without `expires` nobody knows how long the access token is good.
    public init(
        access: String, refresh: String? = nil, issued: Timestamp? = nil, expires: Timestamp? = nil,
        scopes: [String]? = nil
    ) {
        KnownSecrets.add(access)
        refresh.map { KnownSecrets.add($0) }
        self.access = access
        self.refresh = refresh
        self.issued = issued
        self.expires = expires
        self.scopes = scopes
    }

    /// Whether a new one should be had before a request of that many bytes is sent.
    ///
    /// That is so when less than a minute or than a tenth of its life is left, whichever is more, or less than the
    /// request takes at a second a MiB; but never before half of its life has gone, lest a short life be no life.
    func isNearEnd(at now: Timestamp, sending bytes: Int64) -> Bool {
        guard let expires else { return false }
        let left = expires.nanoseconds.subtractingReportingOverflow(now.nanoseconds).partialValue
        let second: Int64 = 1_000_000_000
        let transfer = min(bytes >> 20, 86_400) * second
        guard let issued, expires > issued else { return left < max(60 * second, transfer) }
        let life = expires.nanoseconds - issued.nanoseconds
        return left < min(max(60 * second, life / 10, transfer), life / 2)
    }
}

// MARK: Keeping them

extension OAuth2Tokens {
    /// The names by which they are kept among the secrets of a destination.
    public static let names: Set<String> = [
        "access_token", "refresh_token", "access_token_issued", "access_token_expires", "access_token_scopes",
    ]

    /// Those that were kept; `nil` for none.
    public init?(_ secrets: [String: String]) {
        guard let access = secrets["access_token"], !access.isEmpty else { return nil }
        func time(_ name: String) -> Timestamp? {
            secrets[name].flatMap { Int64($0) }.flatMap { seconds in
                (0...9_000_000_000).contains(seconds) ? Timestamp(nanoseconds: seconds * 1_000_000_000) : nil
            }
        }
        self.init(
            access: access, refresh: secrets["refresh_token"].flatMap { $0.isEmpty ? nil : $0 },
            issued: time("access_token_issued"), expires: time("access_token_expires"),
            scopes: secrets["access_token_scopes"].map { $0.split(separator: " ").map(String.init) })
    }

    /// Puts them in the place of those before.
    public func write(to secrets: inout [String: String]) {
        secrets["access_token"] = access
        secrets["refresh_token"] = refresh
        secrets["access_token_issued"] = issued.map { String($0.seconds) }
        secrets["access_token_expires"] = expires.map { String($0.seconds) }
        secrets["access_token_scopes"] = scopes.map { $0.joined(separator: " ") }
    }
}

extension OAuth2Tokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { refresh == nil ? "access token" : "access and refresh token" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a service answered to a request for tokens.
public struct OAuth2Grant: Sendable {
    /// What was granted, to be kept.
    public var tokens: OAuth2Tokens
    /// All fields of the answer that are no objects and no lists, the tokens too, as texts.
    public var fields: [String: String]
    /// The client they belong to.
    public var client: OAuthClient
}

extension OAuth2Grant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(tokens) of \(client)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

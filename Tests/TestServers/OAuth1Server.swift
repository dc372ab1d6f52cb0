internal import Foundation

/// Authlib's provider of OAuth 1.0a, which verifies signatures (HMAC-SHA1, HMAC-SHA256), nonces and timestamps, and a
/// place behind it that takes photos. `Tests/Servers/oauth1-serve.py` lists its addresses.
public final class OAuth1Server: Sendable {
    /// Without a slash at the end.
    public let endpoint: String
    public let requestURL: String
    public let authorizeURL: String
    public let accessURL: String
    /// Takes multipart forms of a file `photo` and texts, none of which is signed.
    public let uploadURL: String
    /// Takes the same, with the texts signed as those of an ordinary form.
    public let signedUploadURL: String
    public let consumerKey: String
    public let consumerSecret: String
    public let user: String
    public let password: String
    private let itemsPath: String
    private let data: String
    private let script: ServerScript

    /// What it took.
    public struct Item: Sendable, Decodable, Hashable {
        public let name: String
        public let size: Int
        /// In hex.
        public let sha256: String
        public let texts: [String: String]
    }

    public init() async throws {
        script = try ServerScript("oauth1.sh")
        let values = try await script.start()
        endpoint = try values.value("ENDPOINT")
        requestURL = try values.value("REQUEST_URL")
        authorizeURL = try values.value("AUTHORIZE_URL")
        accessURL = try values.value("ACCESS_URL")
        uploadURL = try values.value("UPLOAD_URL")
        signedUploadURL = try values.value("SIGNED_UPLOAD_URL")
        consumerKey = try values.value("CONSUMER_KEY")
        consumerSecret = try values.value("CONSUMER_SECRET")
        user = try values.value("USERNAME")
        password = try values.value("PASSWORD")
        itemsPath = try values.value("ITEMS")
        data = try values.value("DATA")
    }

    /// What it took so far, oldest first.
    public func items() throws -> [Item] {
        try String(contentsOfFile: itemsPath, encoding: .utf8).split(separator: "\n")
            .map { try JSONDecoder().decode(Item.self, from: Data($0.utf8)) }
    }

    /// Does what a person does on the page that a program opens in the browser.
    ///
    /// - Parameter token: the temporary one.
    /// - Returns: where the browser is sent then, with `oauth_token` and `oauth_verifier`; the code alone for `oob`.
    public func grant(_ token: String) async throws -> String {
        let answer = try await ChildProcess.output(of: [
            "curl", "-sSf", "--noproxy", "*", "--max-time", "60", "-w", "\n%{redirect_url}",
            "--data-urlencode", "oauth_token=\(token)", "--data-urlencode", "user=\(user)",
            "--data-urlencode", "password=\(password)", authorizeURL,
        ])
        if let code = answer.firstRange(of: "<code id=code>") {
            return String(answer[code.upperBound...].prefix { $0 != "<" })
        }
        return answer.split(separator: "\n").last.map(String.init) ?? ""
    }

    /// Stops it; its tokens and what it holds stay.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address.
    public func restart() async throws { _ = try await script.start() }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}

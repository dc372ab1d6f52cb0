internal import Crypto
internal import Submit
internal import SubmitHTTP

/// The query that opens an object to whoever has it, until a time ("Temporary URL middleware" in the OpenStack Swift
/// documentation).
enum TemporaryURL {
    enum Digest: String, CaseIterable {
        case sha256, sha512, sha1

        /// Of those that a cluster allows.
        static func best(of allowed: Set<String>) -> Digest? {
            allCases.first { allowed.contains($0.rawValue) }
        }
    }

    /// - Parameters:
    ///   - path: with the account's, such as `/v1/AUTH_x/photos/a b.jpg`, not percent-encoded.
    ///   - expires: seconds since 1970.
    static func query(_ method: String, path: String, expires: Int64, key: String, _ digest: Digest) -> String {
        "temp_url_sig=\(PercentEncoding.encode(signature(method, path: path, expires: expires, key: key, digest)))"
            + "&temp_url_expires=\(expires)"
    }

    static func signature(
        _ method: String, path: String, expires: Int64, key: String, _ digest: Digest
    ) -> String {
        let text = Array("\(method)\n\(expires)\n\(path)".utf8)
        let key = SymmetricKey(data: Array(key.utf8))
        switch digest {
        case .sha256: return Hexadecimal.text(of: HMAC<SHA256>.authenticationCode(for: text, using: key))
        case .sha1: return Hexadecimal.text(of: HMAC<Insecure.SHA1>.authenticationCode(for: text, using: key))
        case .sha512:
            // Too long in hexadecimal: clusters take it as base64 for URLs.
            let code = Base64.text(of: Array(HMAC<SHA512>.authenticationCode(for: text, using: key)))
            return "sha512:" + code.replacing("+", with: "-").replacing("/", with: "_")
        }
    }
}

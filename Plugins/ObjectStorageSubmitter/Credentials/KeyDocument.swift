internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

/// The JSON in which programs and services hand out temporary access keys. Nothing that prints it shows its secrets.
///
/// Source: "Process credential provider" in the AWS SDKs and Tools Reference Guide (`Version`, `SessionToken`);
/// "IAM roles for Amazon EC2" in the Amazon EC2 User Guide (`Code`, `Token`); "Container credential provider" and
/// `ContainerProvider` of botocore's `credentials.py` (`Token`, and `code` with an error).
struct KeyDocument: Decodable {
    let version: Int?
    /// What went wrong, or `Success`; only where it is a plain word.
    let code: String?
    private let id: String?
    private let secret: String?
    private let token: String?
    private let expiration: String?

    private enum Field: String, CodingKey {
        case version = "Version"
        case id = "AccessKeyId"
        case secret = "SecretAccessKey"
        case sessionToken = "SessionToken"
        case token = "Token"
        case expiration = "Expiration"
        case code = "Code"
        case lowerCode = "code"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        func text(_ field: Field) -> String? { try? fields.decodeIfPresent(String.self, forKey: field) }
        version = try? fields.decodeIfPresent(Int.self, forKey: .version)
        id = text(.id)
        secret = text(.secret)
        token = text(.sessionToken) ?? text(.token)
        expiration = text(.expiration)
        for known in [secret, token].compactMap(\.self) { KnownSecrets.add(known) }
        let code = text(.code) ?? text(.lowerCode)
        self.code = code.flatMap { $0.utf8.count <= 64 && $0.utf8.allSatisfy(S3Bucket.isLetterOrDigit) ? $0 : nil }
    }

    /// `nil` when the bytes are no JSON object.
    init?(_ bytes: [UInt8]) {
        guard let read = try? JSONDecoder().decode(KeyDocument.self, from: Data(bytes)) else { return nil }
        self = read
    }

    /// The key and its end.
    ///
    /// - Parameter giver: who handed it out, for the sentence.
    func lease(from giver: String) throws(AccessKeyFailure) -> ExpiringValue<AccessKey>.Lease {
        guard let id, let secret, let key = AccessKey(checking: id, secret: secret, sessionToken: token) else {
            let field = id == nil ? Field.id : secret == nil ? .secret : nil
            throw .misconfigured(
                "\(giver) gave " + (field.map { "no “\($0.rawValue)”" } ?? "one that cannot be one")
                    + "; see that it gives what AWS documents for it")
        }
        guard let expiration else { return (key, nil) }
        guard let date = try? Date(expiration, strategy: .iso8601) else {
            throw .misconfigured("\(giver) gave an “Expiration” that is no ISO 8601 time; see that it gives one")
        }
        // Nanoseconds in 64 bits reach from 1677 to 2262, and Go writes year 1 where no time was set.
        let seconds = min(max(date.timeIntervalSince1970, -9_000_000_000), 9_000_000_000)
        return (key, Timestamp(nanoseconds: Int64(seconds) * 1_000_000_000))
    }
}

extension KeyDocument: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension AccessKey {
    /// `nil` when one of the texts is empty or cannot stand in a header.
    init?(checking id: String, secret: String, sessionToken: String?) {
        let sent = [id] + (sessionToken.map { [$0] } ?? [])
        guard !secret.isEmpty, sent.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (33...126).contains($0) } }) else {
            return nil
        }
        self.init(id: id, secret: secret, sessionToken: sessionToken)
    }
}

internal import FoundationEssentials
internal import Submit
internal import SubmitDigest
internal import SubmitHTTP

/// Who has the key that a server encrypts objects with ("Protecting data with server-side encryption" in the Amazon S3
/// user guide).
enum S3Encryption: Sendable {
    /// S3.
    case ownKeys
    /// The key management service: a key of this id, or the account's usual one.
    case keysOfKMS(id: String?)
    /// We, and we alone.
    case customerKey(CustomerKey)

    /// The words that are configured.
    enum Choice: String, Sendable, CaseIterable {
        case s3, kms, customer
    }

    /// ETags are no MD5s, even if they look like some.
    var hidesMD5: Bool {
        if case .ownKeys = self { false } else { true }
    }

    var feature: S3Profile.Feature {
        switch self {
        case .ownKeys: .ownKeys
        case .keysOfKMS: .keysOfKMS
        case .customerKey: .customerKeys
        }
    }

    /// What a request says that stores an object.
    var storing: [(name: String, value: String)] {
        switch self {
        case .ownKeys: [("x-amz-server-side-encryption", "AES256")]
        case .keysOfKMS(let id):
            [("x-amz-server-side-encryption", "aws:kms")]
                + (id.map { [("x-amz-server-side-encryption-aws-kms-key-id", $0)] } ?? [])
        case .customerKey(let key): key.headers
        }
    }

    /// What every request says that is about an object's bytes.
    var reading: [(name: String, value: String)] {
        if case .customerKey(let key) = self { key.headers } else { [] }
    }
}

/// A key of 256 bits that the server gets with each request and forgets ("Using server-side encryption with
/// customer-provided keys" in the Amazon S3 user guide). Nothing that prints a value shows it.
struct CustomerKey: Sendable {
    private let base64: String
    private let md5: String

    /// `nil` for what is not the base64 of 32 bytes.
    init?(base64 text: String) {
        guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { return nil }
        var pass = DigestPass([.md5])
        bytes.withUnsafeBytes { pass.update($0) }
        base64 = text
        KnownSecrets.add(text, isConfigured: true)
        md5 = pass.finalize().base64(.md5) ?? ""
    }

    var headers: [(name: String, value: String)] {
        [
            ("x-amz-server-side-encryption-customer-algorithm", "AES256"),
            ("x-amz-server-side-encryption-customer-key", base64),
            ("x-amz-server-side-encryption-customer-key-md5", md5),
        ]
    }
}

extension CustomerKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "a customer's key" }

    var debugDescription: String { description }

    var customMirror: Mirror { Mirror(self, children: []) }
}

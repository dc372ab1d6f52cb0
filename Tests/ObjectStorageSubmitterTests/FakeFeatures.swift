import Submit
import SubmitDigest
import SubmitHTTP

@testable import ObjectStorageSubmitter

/// What S3 does with the headers of an object that came after the first ones: CRC-32C and encryption.
struct FakeFeatures: Sendable {
    /// In base64, of all bytes; handed out to those who ask for it.
    var crc32c: String?
    /// What it is encrypted with, as answers name it.
    var encryption: [(name: String, value: String)] = []
    /// The digest of the customer's key.
    var keyMD5: String?

    init() {}

    init(_ sent: FakeStorage.Sent) {
        keyMD5 = sent["x-amz-server-side-encryption-customer-key-md5"]
        for name in ["x-amz-server-side-encryption", "x-amz-server-side-encryption-customer-algorithm"] {
            if let value = sent[name] { encryption.append((name, value)) }
        }
    }

    /// Encrypted with another key than the service's own.
    var hidesMD5: Bool {
        encryption.contains { $0.value == "aws:kms" || $0.name.hasSuffix("-algorithm") }
    }

    /// Refuses requests without the customer's key.
    func complaint(_ sent: FakeStorage.Sent) -> HTTPResponse? {
        sent["x-amz-server-side-encryption-customer-key-md5"] == keyMD5 ? nil : .error(400, "InvalidRequest")
    }

    /// Refuses a body that is not as its MD5 or its signed SHA-256 says, and one of which only the latter tells: what is sent
    /// to prove an item is its MD5, or its CRC-32C where that is computed.
    static func complaint(
        aboutDigestsOf sent: FakeStorage.Sent, _ body: [UInt8], _ manner: FakeStorage.Manner
    ) -> HTTPResponse? {
        let isChecked = manner == .s3 && sent["x-amz-checksum-crc32c"] != nil
        guard sent["content-md5"] ?? (isChecked ? body.md5Base64 : nil) == body.md5Base64 else {
            return .error(400, "BadDigest")
        }
        return sent["x-amz-content-sha256"] == body.sha256 ? nil : .error(400, "XAmzContentSHA256Mismatch")
    }

    /// Refuses a body that is not as its CRC-32C says.
    static func complaint(_ sent: FakeStorage.Sent, _ body: [UInt8]) -> HTTPResponse? {
        guard let claimed = sent["x-amz-checksum-crc32c"], claimed != body.crc32c else { return nil }
        return .error(400, "BadDigest")
    }

    /// Those that go with an ETag.
    func headers(for sent: FakeStorage.Sent) -> [(name: String, value: String)] {
        let isAsked = sent.method == "PUT" || sent["x-amz-checksum-mode"] == "ENABLED"
        guard isAsked, let crc32c else { return encryption }
        return encryption + [("x-amz-checksum-crc32c", crc32c), ("x-amz-checksum-type", "FULL_OBJECT")]
    }
}

extension [UInt8] {
    /// In base64.
    var crc32c: String {
        var pass = DigestPass([.crc32c])
        withUnsafeBytes { pass.update($0) }
        return Base64.text(of: pass.finalize()[.crc32c]!)
    }
}

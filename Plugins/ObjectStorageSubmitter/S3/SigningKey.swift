internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// An access key, and what signs with it in each region.
final class SigningKey: Sendable {
    let accessKey: AccessKey
    private let signers = Locked<[String: SignatureV4Signer]>([:])

    init(_ accessKey: AccessKey) {
        self.accessKey = accessKey
    }

    func signer(region: String) -> SignatureV4Signer {
        signers.withLock { signers in
            if let signer = signers[region] { return signer }
            let signer = SignatureV4Signer(accessKey, region: region)
            signers[region] = signer
            return signer
        }
    }
}

import Testing

@testable import ObjectStorageSubmitter

@Suite struct TemporaryURLTests {
    /// As the middleware's documentation and its tests have them (openstack/swift, `tempurl.py`).
    @Test(arguments: [
        (1_512_508_563, TemporaryURL.Digest.sha256, "732fcac368abb10c78a4cbe95c3fab7f311584532bf779abd5074e13cbe8b88b"),
        (
            1_516_741_234, .sha512,
            "sha512:ZrSijn0GyDhsv1ltIj9hWUTrbAeE45NcKXyBaz7aPbSMvROQ4jtYH4nRAmm5ErY2X11Yc1Yhy2OMCyN3yueeXg=="
        ),
    ])
    func `published signatures come out`(expires: Int64, digest: TemporaryURL.Digest, signature: String) {
        let path = "/v1/AUTH_account/container/object"
        #expect(TemporaryURL.signature("GET", path: path, expires: expires, key: "mykey", digest) == signature)
    }
}

import Crypto
import Submit
import Testing

@testable import SubmitHTTP

/// What signatures and tokens are made of, by the examples of its standards.
@Suite struct `Published examples` {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `of base64 hold`(text: String, encoded: String) {
        #expect(Base64.text(of: text.utf8) == encoded)
    }

    @Test func `the last two digits of base64 are a plus and a slash`() {
        #expect(Base64.text(of: ([0xfb, 0xef, 0xff] as [UInt8])) == "++//")
    }

    /// RFC 2202, section 3, and RFC 4231, section 4; the last with the second one's long key.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "90d0dace1c1bdc957339307803160335bde6df2b",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `of the HMACs that we have from a library hold`(key: [UInt8], text: String, sha1: String, sha256: String) {
        let key = SymmetricKey(data: key)
        #expect(Hexadecimal.text(of: HMAC<Insecure.SHA1>.authenticationCode(for: Array(text.utf8), using: key)) == sha1)
        #expect(Hexadecimal.text(of: HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)) == sha256)
    }
}

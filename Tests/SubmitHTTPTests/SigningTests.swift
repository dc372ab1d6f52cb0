import Crypto
import Submit
import Testing

@testable import SubmitHTTP

/// The documented examples of the S3 API reference: key, time, region and host are the same in all of them.
private let exampleKey = AccessKey(id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
private let exampleTime = SigningTime(secondsSince1970: 1_369_353_600)
private let host = (name: "host", value: "examplebucket.s3.amazonaws.com")

struct SigningExample: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let request: SignatureV4.Request
    let canonicalDigest: String
    let signature: String
    let signedHeaders: String

    static let all = [
        SigningExample(
            testDescription: "GET object",
            request: SignatureV4.Request(
                method: "GET", path: "/test.txt", headers: [host, ("range", "bytes=0-9")]),
            canonicalDigest: "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            signedHeaders: "host;range;x-amz-content-sha256;x-amz-date"),
        SigningExample(
            testDescription: "PUT object",
            request: SignatureV4.Request(
                method: "PUT", path: "/test%24file.text",
                headers: [
                    ("x-amz-storage-class", "REDUCED_REDUNDANCY"), host, ("date", "Fri, 24 May 2013 00:00:00 GMT"),
                ],
                payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
            canonicalDigest: "9e0e90d9c76de8fa5b200d8c849cd5b8dc7a3be3951ddb7f6a76b4158342019d",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
            signedHeaders: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class"),
        SigningExample(
            testDescription: "GET bucket lifecycle",
            request: SignatureV4.Request(method: "GET", path: "/", query: "lifecycle", headers: [host]),
            canonicalDigest: "9766c798316ff2757b517bc739a67f6213b4ab36dd5da2f94eaebf79c77395ca",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
            signedHeaders: "host;x-amz-content-sha256;x-amz-date"),
        SigningExample(
            testDescription: "GET bucket listing",
            request: SignatureV4.Request(method: "GET", path: "/", query: "prefix=J&max-keys=2", headers: [host]),
            canonicalDigest: "df57d21db20da04d7fa30298dd4488ba3a2b47ca3a489c74750e0f1e7df1b9b7",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            signedHeaders: "host;x-amz-content-sha256;x-amz-date"),
    ]
}

@Suite struct `Signature Version 4` {
    let signer = SignatureV4Signer(exampleKey, region: "us-east-1")

    @Test(arguments: SigningExample.all)
    func `gives the documented signatures`(example: SigningExample) throws {
        let headers = signer.sign(example.request, at: exampleTime)
        let authorization = try #require(headers.last)
        #expect(authorization.name == "Authorization")
        #expect(
            authorization.value
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(example.signedHeaders), Signature=\(example.signature)")
        #expect(!headers.contains { $0.name == "host" })
        #expect(headers.contains { $0 == ("x-amz-date", "20130524T000000Z") })
        #expect(headers.contains { $0 == ("x-amz-content-sha256", example.request.payload) })
    }

    @Test(arguments: SigningExample.all)
    func `forms the documented canonical requests`(example: SigningExample) {
        var request = example.request
        request.headers.append(("x-amz-date", exampleTime.text))
        request.headers.append(("x-amz-content-sha256", request.payload))
        let canonical = SignatureV4.canonicalRequest(request)
        #expect(Hexadecimal.text(of: SHA256.hash(data: Array(canonical.utf8))) == example.canonicalDigest)
    }

    @Test func `gives the documented presigned URL`() {
        let query = signer.presign(
            SignatureV4.Request(method: "GET", path: "/test.txt", headers: [host]), at: exampleTime, seconds: 86400)
        #expect(
            query
                == "X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test func `derives the documented key`() {
        let key = SignatureV4.signingKey(
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            time: SigningTime(secondsSince1970: 1_440_938_160), region: "us-east-1", service: "iam")
        #expect(Hexadecimal.text(of: key) == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9")
    }

    @Test func `signs the session token of temporary credentials, in headers and in URLs`() throws {
        let temporary = SignatureV4Signer(
            AccessKey(id: "AKID", secret: "s", sessionToken: "to/ken=="), region: "us-east-1")
        let request = SignatureV4.Request(method: "GET", path: "/x", headers: [host])
        let headers = temporary.sign(request, at: exampleTime)
        #expect(headers.contains { $0 == ("x-amz-security-token", "to/ken==") })
        #expect(try #require(headers.last).value.contains(";x-amz-date;x-amz-security-token,"))
        #expect(
            temporary.presign(request, at: exampleTime, seconds: 1).contains("&X-Amz-Security-Token=to%2Fken%3D%3D&"))
    }

    @Test func `takes a new key on a new day`() throws {
        let request = SignatureV4.Request(method: "GET", path: "/", headers: [host])
        let later = SigningTime(secondsSince1970: 1_369_353_600 + 86400)
        let fresh = SignatureV4Signer(exampleKey, region: "us-east-1")
        _ = signer.sign(request, at: exampleTime)
        let authorization = try #require(signer.sign(request, at: later).last?.value)
        #expect(authorization.contains("/20130525/us-east-1/s3/"))
        #expect(fresh.sign(request, at: later).last?.value == authorization)
    }

    @Test func `collapses spaces in header values and sorts repeated query names by value`() {
        let canonical = SignatureV4.canonicalRequest(
            SignatureV4.Request(
                method: "GET", path: "/a%20b", query: "b=2&a-b=1&a=2&a=1&a",
                headers: [("x-amz-meta-b", "  a   b "), ("host", "h")]))
        #expect(
            canonical == """
                GET
                /a%20b
                a=&a=1&a=2&a-b=1&b=2
                host:h
                x-amz-meta-b:a b

                host;x-amz-meta-b
                \(SignatureV4.emptyPayload)
                """)
    }

    @Test(
        arguments: [
            (0, "19700101T000000Z"), (951_868_799, "20000229T235959Z"), (951_868_800, "20000301T000000Z"),
            (1_709_210_096, "20240229T123456Z"), (4_107_542_400, "21000301T000000Z"), (-1, "19691231T235959Z"),
            (253_402_300_799, "99991231T235959Z"),
        ] as [(Int64, String)])
    func `writes times without a calendar library`(seconds: Int64, text: String) {
        #expect(SigningTime(secondsSince1970: seconds).text == text)
    }

    @Test func `shows no secret in any description`() {
        let key = AccessKey(id: "AKID", secret: "sssecret", sessionToken: "tttoken")
        let signer = SignatureV4Signer(key, region: "r")
        var dumped = ""
        dump(key, to: &dumped)
        dump(signer, to: &dumped)
        for text in ["\(key)", String(reflecting: key), "\(signer)", String(reflecting: signer), dumped] {
            #expect(!text.contains("sssecret") && !text.contains("tttoken"))
            #expect(text.contains("AKID"))
        }
    }
}

internal import FoundationEssentials
internal import Submit
internal import SubmitDigest
internal import SubmitHTTP

/// What came of a manifest: with a heartbeat it stands in the body.
struct ManifestOutcome: Sendable {
    /// As it would have been without a heartbeat.
    let answer: HTTPResponse
    let etag: String?
    /// The segments that are not as the manifest says: a path and why.
    let errors: [[String]]

    init(_ answer: HTTPResponse) {
        let told = try? JSONDecoder().decode(Told.self, from: Data(answer.body.drop { $0 <= 32 }))
        errors = told?.errors ?? []
        etag = told?.etag ?? answer["ETag"]
        guard answer.status == 202 else {
            self.answer = answer
            return
        }
        // A heartbeat whose end never came says nothing: the next attempt looks.
        self.answer = HTTPResponse(
            status: told?.status.flatMap { Int($0.prefix(3)) } ?? 500, headers: answer.headers,
            body: Array((told?.body ?? "").utf8))
    }

    private struct Told: Decodable {
        var status: String?
        var body: String?
        var etag: String?
        var errors: [[String]]?

        enum CodingKeys: String, CodingKey {
            case status = "Response Status"
            case body = "Response Body"
            case etag = "Etag"
            case errors = "Errors"
        }
    }
}

/// The ETag of a static large object: the MD5 of its segments' MD5s in hexadecimal.
enum SwiftSegmentsETag {
    static func text(_ md5s: [[UInt8]]) -> String {
        var pass = DigestPass([.md5])
        for md5 in md5s { Array(Hexadecimal.text(of: md5).utf8).withUnsafeBytes { pass.update($0) } }
        return pass.finalize().hexadecimal(.md5) ?? ""
    }
}

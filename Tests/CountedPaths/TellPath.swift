import CouchDBSubmitter
import Submit
import SubmitDigest
import SubmitHTTP
import SystemPackage

extension CountedPaths {
    /// Documents are told to a database that has none of them, and answers at once.
    @Sendable static func tell(_ count: Int, _ folder: FilePath) async throws {
        let submitter = try CouchDBSubmitter.submitterType(transport: EmptyDatabase()).make(
            DestinationSettings(
                destination: "next", values: ["url": "http://127.0.0.1:9", "database": "photos", "user": "me"],
                secrets: ["password": "a-password"]))
        let documents = (0..<most).map { index in
            let number = "\(10_000 + index)"
            return CatalogueDocument(
                id: "picture:\(String(repeating: "0", count: 59))\(number)",
                body: """
                    {"albums":["Summer"],"caption":"The harbour at night, and the ships that wait for the morning",\
                    "captured":"2024-05-17T18:42:07+02:00","media_type":"image/jpeg","name":"IMG_\(number).jpg","owner":"me",\
                    "places":{"cloud":{"evidence":"verified","url":"https://photos.example/IMG_\(number).jpg"}},\
                    "size":4213456,"tags":["harbour","night"],"type":"picture"}
                    """)
        }
        let outcomes = try await submitter.facets.catalogue?.tell(Array(documents.prefix(count)))
        precondition(outcomes == Array(repeating: .told, count: count))
    }
}

/// Has nothing, lacks all, and takes everything.
private struct EmptyDatabase: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard case .bytes(let bytes) = request.body else { return HTTPResponse(status: 405) }
        let asked = String(decoding: bytes, as: UTF8.self)
        let said: String
        if request.url.hasSuffix("/_all_docs") {
            let keys = asked.dropFirst("{\"keys\":[".utf8.count).dropLast(2).split(separator: ",")
            said = "{\"rows\":[\(keys.map { "{\"key\":\($0),\"error\":\"not_found\"}" }.joined(separator: ","))]}"
        } else if request.url.hasSuffix("/_revs_diff") {
            said = asked.replacing(":[", with: ":{\"missing\":[").replacing("]", with: "]}")
        } else {
            said = "[]"
        }
        return HTTPResponse(status: request.url.hasSuffix("/_bulk_docs") ? 201 : 200, body: Array(said.utf8))
    }
}

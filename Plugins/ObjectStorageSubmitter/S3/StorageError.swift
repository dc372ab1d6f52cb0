internal import SubmitHTTP
internal import SubmitXML

/// What an answer's body says went wrong ("REST error responses" in the Amazon S3 API reference).
struct StorageError: Sendable, Hashable {
    /// Such as `NoSuchBucket`.
    var code: String?
    /// For people.
    var message: String?
    /// Where the bucket is, if not here.
    var region: String?
    /// It is a page for people, from something that is no object storage.
    var isPage: Bool

    init(_ response: HTTPResponse) {
        region = response["x-amz-bucket-region"]
        isPage = response.announcesPage
        guard !isPage, !response.body.isEmpty, let found = Self.read(response.body) else { return }
        code = found["Code"]
        message = found["Message"]
        region = found["Region"] ?? region
    }

    /// The texts below the root `Error`, or `ErrorResponse` that has one.
    private static func read(_ body: [UInt8]) -> [String: String]? {
        var texts: [String: String] = [:]
        let limits = XMLLimits(bytes: 64 << 10, depth: 8, nodes: 1000)
        let root = try? XMLReader.texts(body, limits: limits) { path, text in
            if let name = path.last { texts[name] = text }
        }
        return root.map(isRoot) ?? false ? texts : nil
    }

    /// Whether a document with this root is an error, and not an answer whatever else is in it.
    static func isRoot(_ root: String) -> Bool { root == "Error" || root == "ErrorResponse" }
}

internal import SubmitXML

/// The buckets' names in an answer on ListBuckets ("ListBuckets" in the Amazon S3 API reference).
struct ListedBuckets: Sendable, Hashable {
    let names: [String]

    /// `nil` for what is no such answer.
    init?(_ body: [UInt8]) {
        var names: [String] = []
        let root = try? XMLReader.texts(body, limits: XMLLimits(bytes: 8 << 20)) { path, text in
            if path == ["Buckets", "Bucket", "Name"] { names.append(text) }
        }
        guard let root, root == "ListAllMyBucketsResult" || !StorageError.isRoot(root) && !names.isEmpty else {
            return nil
        }
        self.names = names
    }
}

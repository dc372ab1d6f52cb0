internal import Submit
internal import SubmitXML

/// One page of the objects of a bucket ("ListObjectsV2" in the Amazon S3 API reference).
struct ListedObjects: Sendable, Hashable {
    struct Object: Sendable, Hashable {
        var key = ""
        /// Bytes.
        var size: Int64?
        var stored: Timestamp?
    }

    private(set) var objects: [Object] = []

    /// `nil` for what is no such answer.
    init?(_ body: [UInt8]) {
        var found: [Object] = []
        var object = Object()
        var isEncoded = false
        var isList = false
        let root = try? XMLReader.texts(body, limits: XMLLimits(bytes: 8 << 20)) { path, text in
            switch path {
            case ["Contents", "Key"]: object.key = text
            case ["Contents", "Size"]: object.size = Int64(text)
            case ["Contents", "LastModified"]: object.stored = Timestamp(iso8601: text)
            case ["Contents"]:
                found.append(object)
                object = Object()
            case ["MaxKeys"], ["KeyCount"], ["IsTruncated"]: isList = true
            case ["EncodingType"]: isEncoded = text == "url"
            default: break
            }
        }
        guard let root, !StorageError.isRoot(root), isList || root == "ListBucketResult" || !found.isEmpty else {
            return nil
        }
        objects = found
        if isEncoded { for index in objects.indices { objects[index].key = decodedKey(objects[index].key) } }
    }
}

internal import Submit
internal import SubmitHTTP
internal import SubmitXML

/// The id in an answer on CreateMultipartUpload ("CreateMultipartUpload" in the Amazon S3 API reference).
struct CreatedUpload: Sendable, Hashable {
    let id: String

    /// `nil` for what is no such answer.
    init?(_ body: [UInt8]) {
        var id = ""
        // Not every server calls the root `InitiateMultipartUploadResult`.
        let root = try? XMLReader.texts(body) { path, text in if path == ["UploadId"] { id = text } }
        guard let root, !StorageError.isRoot(root), !id.isEmpty, id.utf8.count <= 4096 else { return nil }
        self.id = id
    }
}

/// The ETag in an answer on CompleteMultipartUpload ("CompleteMultipartUpload" in the Amazon S3 API reference).
struct CompletedUpload: Sendable, Hashable {
    let etag: String?
    /// The CRC-32C in base64 that the server computed of the whole object.
    let crc32c: String?

    init(etag: String?, crc32c: String? = nil) {
        self.etag = etag
        self.crc32c = crc32c
    }

    /// `nil` for what is no such answer, above all for an error that came with the status 200.
    init?(_ body: [UInt8]) {
        var etag = ""
        var crc32c: String?
        var checksumType = ""
        let root = try? XMLReader.texts(body) { path, text in
            switch path {
            case ["ETag"]: etag = text
            case ["ChecksumCRC32C"]: crc32c = text
            case ["ChecksumType"]: checksumType = text
            default: break
            }
        }
        guard let root, !StorageError.isRoot(root), root == "CompleteMultipartUploadResult" || !etag.isEmpty else {
            return nil
        }
        self.etag = etag
        // Made of those of the parts, it says nothing of the whole.
        self.crc32c = checksumType == "FULL_OBJECT" ? crc32c : nil
    }

    /// What asks for it, with the parts in order.
    static func request(_ parts: [(number: Int, etag: String, crc32c: String?)]) -> String {
        let list = parts.map { part in
            let checksum = part.crc32c.map { "<ChecksumCRC32C>\($0.xmlEscaped)</ChecksumCRC32C>" } ?? ""
            return "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(part.etag.xmlEscaped)</ETag>\(checksum)</Part>"
        }
        return "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(list.joined())"
            + "</CompleteMultipartUpload>"
    }
}

/// One page of the parts that a server has of an upload ("ListParts" in the Amazon S3 API reference).
struct ListedParts: Sendable, Hashable {
    private(set) var parts: [StoredPart] = []
    /// The part number after which the list goes on; `nil` at its end.
    private(set) var next: Int?

    /// `nil` for what is no such answer.
    init?(_ body: [UInt8]) {
        var found: [StoredPart] = []
        var part: (number: Int?, size: Int64?, etag: String?, crc32c: String?) = (nil, nil, nil, nil)
        var isTruncated = false
        var marker: Int?
        var isList = false
        let root = try? XMLReader.texts(body, limits: XMLLimits(bytes: 8 << 20)) { path, text in
            switch path {
            case ["UploadId"], ["MaxParts"]: isList = true
            case ["Part", "PartNumber"]: part.number = Int(text)
            case ["Part", "Size"]: part.size = Int64(text)
            case ["Part", "ETag"]: part.etag = text
            case ["Part", "ChecksumCRC32C"]: part.crc32c = text
            case ["Part"]:
                if let number = part.number, let size = part.size, let etag = part.etag {
                    found.append(StoredPart(number: number, size: size, etag: etag, crc32c: part.crc32c))
                }
                part = (nil, nil, nil, nil)
            case ["IsTruncated"]: isTruncated = text == "true"
            case ["NextPartNumberMarker"]: marker = Int(text)
            default: break
            }
        }
        isList = isList || root == "ListPartsResult" || !found.isEmpty
        guard let root, !StorageError.isRoot(root), isList else { return nil }
        parts = found
        next = isTruncated ? marker ?? found.map(\.number).max() : nil
    }
}

/// One page of the uploads that a bucket has open ("ListMultipartUploads" in the Amazon S3 API reference).
struct ListedUploads: Sendable {
    struct Upload: Sendable, Hashable {
        var key = ""
        var id = ""
        var begun: Timestamp?
    }

    private(set) var uploads: [Upload] = []
    /// Where the list goes on; `nil` at its end.
    private(set) var next: (key: String, id: String)?

    /// `nil` for what is no such answer.
    ///
    /// - Parameter prefix: what was asked for.
    init?(_ body: [UInt8], below prefix: String = "") {
        var found: [Upload] = []
        var upload = Upload()
        var isTruncated = false
        var isEncoded = false
        var marker = (key: "", id: "")
        var isList = false
        let root = try? XMLReader.texts(body, limits: XMLLimits(bytes: 8 << 20)) { path, text in
            switch path {
            case ["Upload", "Key"]: upload.key = text
            case ["Upload", "UploadId"]: upload.id = text
            case ["Upload", "Initiated"]: upload.begun = Timestamp(iso8601: text)
            case ["Upload"]:
                if !upload.id.isEmpty { found.append(upload) }
                upload = Upload()
            case ["MaxUploads"]: isList = true
            case ["IsTruncated"]: isTruncated = text == "true"
            case ["EncodingType"]: isEncoded = text == "url"
            case ["NextKeyMarker"]: marker.key = text
            case ["NextUploadIdMarker"]: marker.id = text
            default: break
            }
        }
        isList = isList || root == "ListMultipartUploadsResult" || !found.isEmpty
        guard let root, !StorageError.isRoot(root), isList else { return nil }
        uploads = found
        // SeaweedFS says so of keys that are as they are: those it was asked for begin otherwise by that.
        let isTrue = found.allSatisfy { decodedKey($0.key).hasPrefix(prefix) || !$0.key.hasPrefix(prefix) }
        if isEncoded, isTrue {
            for index in uploads.indices { uploads[index].key = decodedKey(uploads[index].key) }
            // Ceph encodes the keys of uploads but not the marker.
            if marker.key != uploads.last?.key { marker.key = decodedKey(marker.key) }
        }
        next = isTruncated && !marker.key.isEmpty ? marker : nil
    }
}

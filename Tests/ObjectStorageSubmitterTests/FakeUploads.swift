import Submit
import SubmitHTTP

@testable import ObjectStorageSubmitter

/// The uploads in parts of a ``FakeStorage``.
struct FakeUploads: Sendable {
    /// In what a server differs from S3.
    enum Quirk: Sendable, Hashable {
        case listsNoParts, listsNoUploads
        /// ETags are other hexadecimal digits, or as many of them as of an MD5.
        case opaqueETags, misleadingETags
        /// A Complete that fails is the end of the upload.
        case failedCompleteEnds
        /// An upload stays when it is completed, and can be completed again.
        case keepsCompleted
        /// Complete says yes to what is not done, or to less.
        case storesNothing, storesLess
        /// The first abort leaves the parts that are there.
        case abortsTwice
        /// No abort is ever the end of an upload.
        case abortsNever
        /// Says that a list goes on and not where.
        case namesNoMarker
    }

    struct Upload: Sendable {
        var key: String
        var headers: [(name: String, value: String)]
        var parts: [Int: [UInt8]] = [:]
        var begun = Timestamp.now()
        var aborts = 0
    }

    var quirks: Set<Quirk> = []
    /// Parts or uploads.
    var pageSize = 2

    /// By id.
    var open: [String: Upload] = [:]
    private var lastNumber = 0

    /// `nil` for a request that is about no upload.
    mutating func answer(
        _ sent: FakeStorage.Sent, _ parameters: [String: String], _ body: [UInt8], key: String,
        objects: inout [String: FakeStorage.Object]
    ) -> HTTPResponse? {
        if sent.method == "POST", parameters["uploads"] != nil { return begin(sent, key) }
        guard let id = parameters["uploadId"] else { return nil }
        guard let upload = open[id], upload.key == key else { return .error(404, "NoSuchUpload") }
        switch (sent.method, parameters["partNumber"].flatMap { Int($0) }) {
        case ("PUT", let number?):
            if sent["content-md5"] != body.md5Base64 { return .error(400, "BadDigest") }
            if sent["x-amz-content-sha256"] != body.sha256 { return .error(400, "XAmzContentSHA256Mismatch") }
            open[id]?.parts[number] = body
            return HTTPResponse(status: 200, headers: [("ETag", "\"\(etag(of: body))\"")])
        case ("GET", _) where quirks.contains(.listsNoParts): return .error(501, "NotImplemented")
        case ("GET", _): return parts(of: upload, after: Int(parameters["part-number-marker"] ?? "") ?? 0)
        case ("DELETE", _):
            open[id]?.aborts += 1
            let stays = quirks.contains(.abortsNever) || quirks.contains(.abortsTwice) && upload.aborts == 0
            if !stays { open[id] = nil }
            return HTTPResponse(status: 204)
        case ("POST", _): return complete(id, upload, sent, body, &objects)
        default: return .error(405, "MethodNotAllowed")
        }
    }

    private func etag(of bytes: [UInt8]) -> String {
        if quirks.contains(.opaqueETags) { return String(bytes.sha256.prefix(20)) }
        return quirks.contains(.misleadingETags) ? String(bytes.sha256.prefix(32)) : bytes.md5
    }

    private mutating func begin(_ sent: FakeStorage.Sent, _ key: String) -> HTTPResponse {
        lastNumber += 1
        let kept = sent.headers.filter { $0.name == "content-type" || $0.name.hasPrefix("x-amz-meta-") }
        open["up/load+\(lastNumber)="] = Upload(key: key, headers: kept)
        return .xml("InitiateMultipartUploadResult", "<UploadId>up/load+\(lastNumber)=</UploadId>")
    }

    private func parts(of upload: Upload, after marker: Int) -> HTTPResponse {
        let rest = upload.parts.filter { $0.key > marker }.sorted { $0.key < $1.key }
        let page = rest.prefix(pageSize)
        let list = page.map { number, bytes in
            "<Part><PartNumber>\(number)</PartNumber><ETag>&quot;\(etag(of: bytes))&quot;</ETag>"
                + "<Size>\(bytes.count)</Size></Part>"
        }
        let next = page.last.map { "<NextPartNumberMarker>\($0.key)</NextPartNumberMarker>" }
        return .xml(
            "ListPartsResult",
            "<IsTruncated>\(rest.count > pageSize)</IsTruncated>"
                + (quirks.contains(.namesNoMarker) ? "" : next ?? "") + list.joined())
    }

    func list(_ parameters: [String: String]) -> HTTPResponse {
        let marker = (parameters["key-marker"] ?? "", parameters["upload-id-marker"] ?? "")
        let rest = open.filter { $0.value.key.hasPrefix(parameters["prefix"] ?? "") && ($0.value.key, $0.key) > marker }
            .sorted { ($0.value.key, $0.key) < ($1.value.key, $1.key) }
        let page = rest.prefix(pageSize)
        let list = page.map { id, upload in
            "<Upload><Key>\(PercentEncoding.encodePath(upload.key))</Key><UploadId>\(id)</UploadId>"
                + "<Initiated>\(Self.time(upload.begun))</Initiated></Upload>"
        }
        let next = page.last.map {
            "<NextKeyMarker>\(PercentEncoding.encodePath($0.value.key))</NextKeyMarker>"
                + "<NextUploadIdMarker>\($0.key)</NextUploadIdMarker>"
        }
        return .xml(
            "ListMultipartUploadsResult",
            "<EncodingType>url</EncodingType><IsTruncated>\(rest.count > pageSize)</IsTruncated>"
                + (next ?? "") + list.joined())
    }

    private static func time(_ time: Timestamp) -> String {
        let text = SigningTime(secondsSince1970: time.seconds).text
        let digits = Array(text)
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15)).000Z"
    }

    private mutating func complete(
        _ id: String, _ upload: Upload, _ sent: FakeStorage.Sent, _ body: [UInt8],
        _ objects: inout [String: FakeStorage.Object]
    ) -> HTTPResponse {
        let text = String(decoding: body, as: UTF8.self)
        let named = text.matches(of: /<PartNumber>(\d+)<\/PartNumber><ETag>"([0-9a-f]+)"<\/ETag>/)
            .map { (Int($0.1)!, String($0.2)) }
        guard named.map(\.0) == Array(1...max(1, named.count)),
            named.allSatisfy({ part in upload.parts[part.0].map { etag(of: $0) } == part.1 })
        else {
            if quirks.contains(.failedCompleteEnds) { open[id] = nil }
            return .error(400, "InvalidPart")
        }
        let parts = named.compactMap { upload.parts[$0.0] }
        let digests = parts.flatMap { $0.md5Bytes }
        let whole = "\(etag(of: digests))-\(parts.count)"
        if !quirks.contains(.storesNothing) {
            let stored = (quirks.contains(.storesLess) ? parts.dropLast() : parts[...]).flatMap { $0 }
            objects[upload.key] = FakeStorage.Object(bytes: stored, headers: upload.headers, etag: whole)
        }
        if !quirks.contains(.keepsCompleted) { open[id] = nil }
        return .xml("CompleteMultipartUploadResult", "<ETag>&quot;\(whole)&quot;</ETag>")
    }
}

extension HTTPResponse {
    static func xml(_ root: String, _ content: String) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: [("Content-Type", "application/xml")],
            body: Array(
                "<?xml version=\"1.0\"?><\(root) xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(content)</\(root)>"
                    .utf8))
    }
}

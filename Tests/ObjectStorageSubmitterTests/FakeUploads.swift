import Submit
import SubmitHTTP

@testable import ObjectStorageSubmitter

/// The uploads in parts of a ``FakeStorage``.
struct FakeUploads: Sendable {
    struct Upload: Sendable {
        var key: String
        /// As it was begun; `nil` for its key.
        var named: String?
        var listed: String { named ?? key }
        var headers: [(name: String, value: String)]
        var parts: [Int: [UInt8]] = [:]
        var begun = Timestamp.now
        var aborts = 0
        var features = FakeFeatures()
        /// Begun with CRC-32Cs.
        var hasChecksums = false
    }

    var quirks: Set<Quirk> = []
    var manner = FakeStorage.Manner.s3
    /// Parts or uploads.
    var pageSize = 2

    /// By id.
    var open: [String: Upload] = [:]
    private var completed: [String: Upload] = [:]
    private var lastNumber = 0

    /// `nil` for a request that is about no upload.
    mutating func answer(
        _ sent: FakeStorage.Sent, _ parameters: [String: String], _ body: [UInt8], key: String, named: String? = nil,
        objects: inout [String: FakeStorage.Object], nodes: inout StorageNodes, now: Int = 0
    ) -> HTTPResponse? {
        if sent.method == "POST", parameters["uploads"] != nil { return begin(sent, key, named) }
        guard let id = parameters["uploadId"] else { return nil }
        if quirks.contains(.listsCompleted), let upload = completed[id] {
            switch sent.method {
            case "GET": return parts(of: upload, after: Int(parameters["part-number-marker"] ?? "") ?? 0)
            case "POST": return .xml("CompleteMultipartUploadResult", "<ETag>&quot;as before&quot;</ETag>")
            default: return .error(404, "NoSuchKey")
            }
        }
        if quirks.contains(.completesAgain), sent.method == "POST", let upload = completed[id], open[id] == nil {
            return xml("CompleteMultipartUpload", "<ETag>&quot;\(wholeETag(of: upload, id))&quot;</ETag>")
        }
        let isHidden = quirks.contains(.hidesWhileCompleting) && nodes.completing[id] != nil
        guard let upload = open[id], upload.key == key, !isHidden else {
            if quirks.contains(.abortsAnything), sent.method == "DELETE" { return HTTPResponse(status: 204) }
            if quirks.contains(.completesUnknown), sent.method == "POST", objects[key] != nil {
                let told = Self.named(body).flatMap { Hexadecimal.bytes(of: $0.etag) ?? [] }
                return xml("CompleteMultipartUpload", "<ETag>&quot;\(told.md5)-\(Self.named(body).count)&quot;</ETag>")
            }
            return .error(404, "NoSuchUpload")
        }
        switch (sent.method, parameters["partNumber"].flatMap { Int($0) }) {
        case ("PUT", let number?):
            if let complaint = FakeFeatures.complaint(aboutDigestsOf: sent, body, manner) { return complaint }
            if manner == .s3, let complaint = upload.features.complaint(sent) ?? FakeFeatures.complaint(sent, body) {
                return complaint
            }
            if upload.hasChecksums, sent["x-amz-checksum-crc32c"] == nil { return .error(400, "InvalidRequest") }
            open[id]?.parts[number] = body
            return HTTPResponse(
                status: 200,
                headers: [("ETag", "\"\(etag(of: body, upload.features))\"")] + upload.features.encryption)
        case ("GET", _) where quirks.contains(.listsNoParts): return .error(501, "NotImplemented")
        case ("GET", _):
            if manner == .s3, let complaint = upload.features.complaint(sent) { return complaint }
            return parts(of: upload, after: Int(parameters["part-number-marker"] ?? "") ?? 0)
        case ("DELETE", _):
            open[id]?.aborts += 1
            let isOfIt = completed[id] != nil && objects[key]?.upload == id
            if quirks.contains(.closesLate), isOfIt { objects[key] = nil }
            if quirks.contains(.abortHollows), isOfIt {
                let count = objects[key]?.bytes.count ?? 0
                objects[key]?.bytes = [UInt8](repeating: 0, count: count)
            }
            let stays = quirks.contains(.abortsNever) || quirks.contains(.abortsTwice) && upload.aborts == 0
            if !stays { open[id] = nil }
            return HTTPResponse(status: 204)
        case ("POST", _): return complete(id, upload, sent, body, &objects, &nodes, now)
        default: return .error(405, "MethodNotAllowed")
        }
    }

    private func etag(of bytes: [UInt8], _ features: FakeFeatures = FakeFeatures()) -> String {
        if features.hidesMD5 { return Array(bytes.sha256.utf8).md5 }
        if quirks.contains(.opaqueETags) { return String(bytes.sha256.prefix(20)) }
        return quirks.contains(.misleadingETags) ? String(bytes.sha256.prefix(32)) : bytes.md5
    }

    private mutating func begin(_ sent: FakeStorage.Sent, _ key: String, _ named: String?) -> HTTPResponse {
        lastNumber += 1
        let kept = sent.headers.filter { $0.name == "content-type" || $0.name.hasPrefix("x-amz-meta-") }
        open["up/load+\(lastNumber)="] = Upload(
            key: key, named: named, headers: kept, features: manner == .s3 ? FakeFeatures(sent) : FakeFeatures(),
            hasChecksums: manner == .s3 && sent["x-amz-checksum-type"] == "FULL_OBJECT")
        if quirks.contains(.namesNoUpload) { return .xml("InitiateMultipartUploadResult", "<Key>\(key)</Key>") }
        return xml("InitiateMultipartUpload", "<UploadId>up/load+\(lastNumber)=</UploadId>")
    }

    private func parts(of upload: Upload, after marker: Int) -> HTTPResponse {
        let rest = upload.parts.filter { $0.key > marker && !quirks.contains(.listsPartsEmpty) }.sorted {
            $0.key < $1.key
        }
        let page = rest.prefix(pageSize)
        let list = page.map { number, bytes in
            "<Part><PartNumber>\(number)</PartNumber><ETag>&quot;\(etag(of: bytes, upload.features))&quot;</ETag>"
                + (upload.hasChecksums ? "<ChecksumCRC32C>\(bytes.crc32c)</ChecksumCRC32C>" : "")
                + "<Size>\(bytes.count)</Size></Part>"
        }
        let next = page.last.map { "<NextPartNumberMarker>\($0.key)</NextPartNumberMarker>" }
        return xml(
            "ListParts",
            "<MaxParts>\(pageSize)</MaxParts><IsTruncated>\(rest.count > pageSize)</IsTruncated>"
                + (quirks.contains(.namesNoMarker) ? "" : next ?? "") + list.joined())
    }

    func list(_ parameters: [String: String]) -> HTTPResponse {
        let marker = (parameters["key-marker"] ?? "", parameters["upload-id-marker"] ?? "")
        let prefix = parameters["prefix"] ?? ""
        let rest = open.filter { $0.value.listed.hasPrefix(prefix) && ($0.value.listed, $0.key) > marker }
            .sorted { ($0.value.listed, $0.key) < ($1.value.listed, $1.key) }
        let page = rest.prefix(pageSize)
        let list = page.map { id, upload in
            "<Upload><Key>\(encoded(upload.listed))</Key><UploadId>\(id)</UploadId>"
                + (quirks.contains(.uploadsWithoutTime) ? "" : "<Initiated>\(Self.time(upload.begun))</Initiated>")
                + "</Upload>"
        }
        let next = page.last.map {
            "<NextKeyMarker>\(encoded($0.value.listed))</NextKeyMarker>"
                + "<NextUploadIdMarker>\($0.key)</NextUploadIdMarker>"
        }
        return xml(
            "ListMultipartUploads",
            "<EncodingType>url</EncodingType><MaxUploads>\(pageSize)</MaxUploads><IsTruncated>\(rest.count > pageSize)</IsTruncated>"
                + (next ?? "") + list.joined())
    }

    private func encoded(_ key: String) -> String {
        quirks.contains(.claimsEncoding) ? key.xmlEscaped : PercentEncoding.encodePath(key)
    }

    /// The parts that a Complete names.
    private static func named(_ body: [UInt8]) -> [(number: Int, etag: String)] {
        String(decoding: body, as: UTF8.self).matches(of: /<PartNumber>(\d+)<\/PartNumber><ETag>"([0-9a-f]+)"<\/ETag>/)
            .map { (Int($0.1)!, String($0.2)) }
    }

    /// Of the object that an upload becomes.
    private func wholeETag(of upload: Upload, _ id: String) -> String {
        if quirks.contains(.otherWholeETags) { return Array("\(upload.begun) \(id)".utf8).md5 }
        let parts = upload.parts.sorted { $0.key < $1.key }.map(\.value)
        return "\(etag(of: parts.flatMap { $0.md5Bytes }))-\(parts.count)"
    }

    mutating func close(_ id: String) { open[id] = nil }

    static func time(_ time: Timestamp) -> String {
        let text = SigningTime(secondsSince1970: time.seconds).text
        let digits = Array(text)
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15)).000Z"
    }

    private mutating func complete(
        _ id: String, _ upload: Upload, _ sent: FakeStorage.Sent, _ body: [UInt8],
        _ objects: inout [String: FakeStorage.Object], _ nodes: inout StorageNodes, _ now: Int
    ) -> HTTPResponse {
        if nodes.completing[id] != nil { return .error(500, "InternalError") }
        switch manner {
        case .s3 where sent["if-none-match"] != nil && objects[upload.key] != nil:
            return .error(412, "PreconditionFailed")
        case .withoutConditions where sent["if-none-match"] != nil: return .error(501, "NotImplemented")
        default: break
        }
        if let match = sent["if-match"] {
            if quirks.contains(.refusesMatch) { return .error(501, "NotImplemented") }
            guard unquoted(match) == objects[upload.key].map({ $0.etag ?? $0.bytes.md5 }) else {
                return .error(412, "PreconditionFailed")
            }
        }
        let text = String(decoding: body, as: UTF8.self)
        let named = Self.named(body)
        let checksums = text.matches(of: /<ChecksumCRC32C>([^<]*)</).map { String($0.1) }
        let all = named.flatMap { upload.parts[$0.number] ?? [] }
        if upload.hasChecksums {
            guard checksums == named.map({ upload.parts[$0.number]?.crc32c }) else { return .error(400, "InvalidPart") }
            guard sent["x-amz-checksum-crc32c"] == all.crc32c, sent["x-amz-mp-object-size"] == "\(all.count)" else {
                return .error(400, "BadDigest")
            }
        }
        guard named.map(\.number) == Array(1...max(1, named.count)),
            named.allSatisfy({ part in
                upload.parts[part.number].map { etag(of: $0, upload.features) } == part.etag
            })
        else {
            if quirks.contains(.failedCompleteEnds) { open[id] = nil }
            return .error(400, "InvalidPart")
        }
        if let answer = manneredFailure(id, &nodes) { return answer }
        let parts = named.compactMap { upload.parts[$0.number] }
        let whole = wholeETag(of: upload, id)
        if !quirks.contains(.storesNothing) {
            let stored = (quirks.contains(.storesLess) ? parts.dropLast() : parts[...]).flatMap { $0 }
            var features = upload.features
            if upload.hasChecksums { features.crc32c = stored.crc32c }
            let object = FakeStorage.Object(
                bytes: stored, headers: quirks.contains(.dropsUploadMetadata) ? [] : upload.headers, etag: whole,
                features: features, upload: id)
            if quirks.contains(.hidesWhileCompleting) || quirks.contains(.busyCompleting) {
                nodes.completing[id] = StorageNodes.Completing(
                    key: upload.key, object: object, old: objects[upload.key]?.bytes, due: now + StorageNodes.lag)
                return .error(504, "GatewayTimeout")
            }
            objects[upload.key] = object
        }
        let closes = !quirks.contains(.closesLate) && !quirks.contains(.abortHollows) || completed[id] != nil
        if !quirks.contains(.keepsCompleted), closes { open[id] = nil }
        completed[id] = upload
        let checksum =
            upload.hasChecksums
            ? "<ChecksumCRC32C>\(all.crc32c)</ChecksumCRC32C><ChecksumType>FULL_OBJECT</ChecksumType>" : ""
        return xml("CompleteMultipartUpload", "<ETag>&quot;\(whole)&quot;</ETag>\(checksum)")
    }

    /// An answer as S3 has it, whose root's name ends so, or as strangers have it.
    private func xml(_ root: String, _ content: String) -> HTTPResponse {
        guard quirks.contains(.foreignRoots) else { return .xml(root + "Result", content) }
        return HTTPResponse(
            status: 200, headers: [("Content-Type", "text/xml")],
            body: Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<\(root)>\(content)</\(root)>".utf8))
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

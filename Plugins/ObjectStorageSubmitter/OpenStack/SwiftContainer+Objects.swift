internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

extension SwiftContainer {
    func object(_ key: String, file: String?) async throws(SubmitFailure) -> StoredObject? {
        let answer = try await send("HEAD", key, file: file)
        if answer.status == 404 { return nil }
        guard answer.isTaken else { throw failure(answer, file: file) }
        return StoredObject(
            size: answer["Content-Length"].flatMap { Int64($0) }, etag: answer["ETag"],
            sha256: answer[SwiftHeaders.sha256]?.lowercased(),
            hidesMD5: answer.isLargeObject || answer["X-Object-Manifest"] != nil, hasSureMD5: true,
            isLarge: answer.isLargeObject, marks: answer.marks)
    }

    func get(
        _ key: String, _ range: String?, into receiver: RangeReceiver, file: String?
    ) async throws(SubmitFailure) -> HTTPResponse {
        var request = SwiftRequest(
            "GET", container: name, key: key, headers: range.map { [("range", $0)] } ?? [], file: file)
        request.receive = receiver.take
        return try await account.send(request)
    }

    func judge(_ answer: HTTPResponse, at key: String, file: String?) throws(SubmitFailure) {
        if answer.status == 409 { throw .brokenObject(key, in: place) }
        if answer.status == 404 { throw .vanished(key, in: place) }
        if answer.status < 300 || answer.status == 416 { return }
        throw failure(answer, file: file)
    }

    func delete(_ key: String, file: String?) async throws(SubmitFailure) {
        let isLarge = try await send("HEAD", key, file: file).isLargeObject
        _ = try await send("DELETE", key, query: isLarge ? "multipart-manifest=delete" : "", file: file)
    }

    /// A large object goes with its segments; the answer on that says 200 whatever came of it ("Delete object" in the
    /// Object Storage API), so that it is looked at again.
    func remove(_ key: String) async throws(SubmitFailure) {
        let head = try await send("HEAD", key)
        if head.status == 404 { return }
        let isLarge = head.isLargeObject
        let answer = try await send("DELETE", key, query: isLarge ? "multipart-manifest=delete" : "")
        guard answer.isTaken || answer.status == 404 else { throw failure(answer, file: nil) }
        guard try await object(key, file: nil) == nil else { throw .notRemoved(key, in: place) }
    }

    /// "Delete container" in the Object Storage API: 409 where something is in it.
    func removeIfEmpty() async throws(SubmitFailure) {
        let answer = try await send("DELETE")
        guard answer.isTaken || [404, 409].contains(answer.status) else { throw failure(answer, file: nil) }
        // What held the segments of its large objects is of no use any more.
        if answer.isTaken { _ = try await segmentContainer.send("DELETE") }
    }

    /// What stands in a listing.
    struct Entry: Decodable {
        var name: String?
        /// The MD5 in hexadecimal.
        var hash: String?
        var bytes: Int64?
        var last_modified: String?
        /// In place of all else: what several names begin with.
        var subdir: String?
        /// In a manifest: it names a part of that object, or another manifest.
        var range: String?
        var sub_slo: Bool?
    }

    /// One page of a listing, in the order of names ("Show container details and list objects" in the Object Storage
    /// API); empty at the end, and where there is no such container. It is as long as the cluster likes: who asks for more
    /// than that gets nothing but 412.
    func entries(
        below prefix: String, after marker: String? = nil, delimiter: Bool = false, file: String? = nil
    ) async throws(SubmitFailure) -> [Entry] {
        var query = "format=json"
        if delimiter { query += "&delimiter=%2F" }
        if let marker { query += "&marker=" + PercentEncoding.encode(marker) }
        if !prefix.isEmpty { query += "&prefix=" + PercentEncoding.encode(prefix) }
        // 10,000 entries with names of 1,024 bytes, escaped.
        let answer = try await send("GET", query: query, file: file, responseLimit: 64 << 20)
        if answer.status == 404 || answer.status == 204 { return [] }
        return try entries(in: answer, file: file)
    }

    /// A listing, or a manifest, as it was answered.
    func entries(in answer: HTTPResponse, file: String?) throws(SubmitFailure) -> [Entry] {
        guard answer.status == 200 else { throw failure(answer, file: file) }
        if let entries = try? JSONDecoder().decode([Entry].self, from: Data(answer.body)) { return entries }
        // Half a list is one all the same; anything else comes from someone else.
        guard answer.body.first == UInt8(ascii: "[") else { throw failure(answer, file: file) }
        let about = file.map { "“\($0)” was not stored in \(place)" } ?? "\(place.capitalizedFirst) cannot be used"
        throw SubmitFailure(
            .retry(after: nil), code: "bad-answer",
            message: "\(about) (\(answer.status) with half a list): try again, and check “storage_url” if it stays so.")
    }

    /// All entries whose names begin so.
    func allEntries(below prefix: String, file: String? = nil) async throws(SubmitFailure) -> [Entry] {
        var all: [Entry] = []
        while true {
            let last = all.last?.name ?? ""
            let page = try await entries(below: prefix, after: all.last?.name, file: file)
            // A server that repeats what it was asked for would have us ask for ever. Names are in the order of their
            // bytes, which is not the order of texts.
            let new = page.filter { entry in
                guard let name = entry.name, name.hasPrefix(prefix) else { return false }
                return last.utf8.lexicographicallyPrecedes(name.utf8)
            }
            if new.isEmpty { return all }
            all += new
        }
    }
}

extension HTTPResponse {
    /// The cluster did as asked. Bodies are for people, in HTML.
    var isTaken: Bool { (200..<300).contains(status) }

    var isLargeObject: Bool { self["X-Static-Large-Object"]?.lowercased() == "true" }
}

/// The headers that are stored with an object.
enum SwiftHeaders {
    /// The metadata in which the item's SHA-256 is found again.
    static let sha256 = "x-object-meta-sha256"

    /// All headers of an item, and a note on what did not fit.
    static func storing(_ item: MediaItem) -> (all: [(name: String, value: String)], note: String?) {
        var all: [(name: String, value: String)] = [
            ("content-type", item.type.mime), (sha256, item.digests.hexadecimal(.sha256) ?? ""),
            ("x-object-meta-mtime", ObjectHeaders.seconds(item.modified)),
        ]
        if let captured = item.captured { all.append(("x-object-meta-captured", captured.description)) }
        guard let caption = item.caption, !caption.isEmpty else { return (all, nil) }
        let encoded = ObjectHeaders.encoded(caption)
        guard encoded.utf8.count <= ObjectHeaders.maximumCaption else {
            return (all, "The caption is too long for object storage and was left out.")
        }
        all.append(("x-object-meta-caption", encoded))
        return (all, nil)
    }
}

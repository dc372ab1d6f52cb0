internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitHTTP

/// What a large object is made of, and what of that is gone ("Static Large Objects" in the OpenStack Swift
/// documentation).
extension SwiftContainer {
    /// The segments that an object is made of; none for an object without any, or for none; `nil` where that is not told.
    func manifest(of key: String, file: String? = nil) async throws(SubmitFailure) -> [Entry]? {
        let head = try await send("HEAD", key, file: file)
        if head.status == 404 { return [] }
        guard head.isTaken else { throw failure(head, file: file) }
        guard head.isLargeObject else { return [] }
        let answer = try await send("GET", key, query: "multipart-manifest=get", file: file, responseLimit: 16 << 20)
        if answer.status == 404 { return [] }
        // What Ceph's gateway says.
        if answer.status == 200, answer.body.allSatisfy({ $0 <= 32 }) {
            return try await listedManifest(of: key, as: head, file: file)
        }
        return try entries(in: answer, file: file)
    }

    /// The segments of the key whose MD5s make up the object's ETag, and whose bytes are as many.
    private func listedManifest(
        of key: String, as head: HTTPResponse, file: String?
    ) async throws(SubmitFailure) -> [Entry]? {
        var groups: [SegmentGroup: [Entry]] = [:]
        for entry in try await segmentContainer.allEntries(below: key + SegmentedUploadCheckpoint.mark, file: file) {
            guard let group = entry.name.flatMap(SegmentGroup.init), group.key == key else { continue }
            groups[group, default: []].append(entry)
        }
        guard let etag = head["ETag"].map(unquoted), let size = head["Content-Length"].flatMap({ Int64($0) }) else {
            return nil
        }
        for var entries in groups.values {
            entries.sort { $0.name ?? "" < $1.name ?? "" }
            let md5s = entries.compactMap { $0.hash.flatMap { Hexadecimal.bytes(of: $0) } }
            guard md5s.count == entries.count, entries.reduce(0, { $0 + ($1.bytes ?? 0) }) == size,
                SwiftSegmentsETag.text(md5s) == etag
            else { continue }
            for index in entries.indices { entries[index].name = "/\(segments)/\(entries[index].name ?? "")" }
            return entries
        }
        return nil
    }

    /// A segment of ours that an object is made of, and that is not as its manifest says.
    private struct BrokenSegment {
        /// In the segments' container.
        let name: String
        /// Of the object.
        let range: Range<Int64>
        /// As it should be, in hexadecimal.
        let md5: String
        let isMissing: Bool
    }

    /// What of a large object is gone, of those segments that are named as we name them.
    private func brokenSegments(of key: String, file: String?) async throws(SubmitFailure) -> [BrokenSegment] {
        guard let manifest = try await manifest(of: key, file: file) else { return [] }
        var wanted: [(name: String, range: Range<Int64>, md5: String)] = []
        var offset: Int64 = 0
        let begin = "/\(segments)/"
        for entry in manifest {
            guard let path = entry.name, path.hasPrefix(begin), let size = entry.bytes, size >= 0, let md5 = entry.hash,
                entry.range == nil, entry.sub_slo != true
            else { return [] }
            let name = String(path.dropFirst(begin.count))
            guard SegmentGroup(name)?.key == key else { return [] }
            wanted.append((name, offset..<offset + size, md5))
            offset += size
        }
        var listed: [String: String] = [:]
        for group in Set(wanted.compactMap { SegmentGroup($0.name)?.segments }) {
            for entry in try await segmentContainer.allEntries(below: group, file: file) {
                if let name = entry.name { listed[name] = entry.hash }
            }
        }
        var broken: [BrokenSegment] = []
        for segment in wanted where listed[segment.name] != segment.md5 {
            // Listings lag behind.
            let head = try await segmentContainer.send("HEAD", segment.name, file: file)
            guard head.isTaken || head.status == 404 else { throw segmentContainer.failure(head, file: file) }
            if head.isTaken, head["ETag"].map(unquoted) ?? segment.md5 == segment.md5 { continue }
            broken.append(
                BrokenSegment(
                    name: segment.name, range: segment.range, md5: segment.md5, isMissing: head.status == 404))
        }
        return broken
    }

    /// A large object without one of its segments is listed as if it were whole, and cannot be read.
    func flaw(in object: StoredObject, at key: String) async throws(SubmitFailure) -> Presence? {
        guard object.isLarge else { return nil }
        let broken = try await brokenSegments(of: key, file: nil)
        if broken.isEmpty { return nil }
        return broken.contains { !$0.isMissing } ? .changed(.digest) : .absent
    }

    func mend(
        _ object: StoredObject, at key: String, with item: MediaItem, _ bytes: any MediaBytes
    ) async throws(SubmitFailure) -> Int {
        guard object.isLarge, object.claims(item), object.size == item.size else { return 0 }
        let broken = try await brokenSegments(of: key, file: item.name)
        // All of them first: an object of which one is another's stays as it is.
        for segment in broken {
            let ours = try await Digests.computed([.md5], of: bytes, in: segment.range)
            guard ours.hexadecimal(.md5) == segment.md5 else { return 0 }
        }
        for segment in broken {
            guard await account.permits.acquire() else { throw .cancelled }
            defer { account.permits.release() }
            let answer = try await segmentContainer.send(
                "PUT", segment.name, headers: [("etag", segment.md5), ("content-type", "application/octet-stream")],
                body: .media(bytes, segment.range), file: item.name)
            guard answer.isTaken else { throw segmentContainer.failure(answer, file: item.name) }
            let etag = try await segmentContainer.etag(of: segment.name, by: answer, file: item.name)
            if let etag, plainMD5(etag) != segment.md5 { throw .damagedSegment(of: item) }
        }
        try bytes.verifyUnchanged()
        return broken.count
    }
}

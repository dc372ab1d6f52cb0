internal import FoundationEssentials
internal import Submit
internal import SubmitDigest
internal import SubmitHTTP

extension SwiftContainer {
    /// How often something is asked for before it is believed that it will never be as wanted.
    private static let mostRounds = 3

    /// Where the segments of this container's large objects are.
    var segmentContainer: SwiftContainer { SwiftContainer(name: segments, account: account) }

    /// Makes the segments' container, with this one's storage policy. It is never public: who may read an object reads
    /// its segments through it.
    ///
    /// - Parameter file: whose name belongs into a failure's sentence.
    func ensureSegments(file: String) async throws(SubmitFailure) {
        let own = try await send("HEAD", file: file)
        // Better now than after all segments.
        if own.status == 404 { throw failure(own, file: file) }
        let policy = own["X-Storage-Policy"].map { [(name: "x-storage-policy", value: $0)] } ?? []
        let answer = try await segmentContainer.send("PUT", headers: policy, file: file)
        // One that was made with another policy is as good.
        guard answer.isTaken || answer.status == 409 else { throw segmentContainer.failure(answer, file: file) }
    }

    /// What is there of an upload, by number: what is listed. A listing that lags behind costs no more than a segment
    /// that is sent again.
    func segments(of note: SegmentedUploadCheckpoint, file: String) async throws(SubmitFailure) -> [Int: StoredPart] {
        var parts: [Int: StoredPart] = [:]
        for entry in try await allEntries(below: note.segments, file: file) {
            guard let name = entry.name, let number = note.number(of: name), let size = entry.bytes,
                let hash = entry.hash
            else { continue }
            parts[number] = StoredPart(number: number, size: size, etag: hash)
        }
        return parts
    }

    /// The ETag of a segment that was taken, where it is told. Who says 202 stored nothing, as what is there is newer by the
    /// cluster's clocks: that is looked at ("PUT object" in proxy/controllers/obj.py).
    func etag(of segment: String, by answer: HTTPResponse, file: String) async throws(SubmitFailure) -> String? {
        answer.status == 202 ? try await object(segment, file: file)?.etag : answer["ETag"]
    }

    func delete(_ names: [String]) async throws(SubmitFailure) {
        for name in names {
            let answer = try await send("DELETE", name)
            guard answer.isTaken || answer.status == 404 else { throw failure(answer, file: nil) }
        }
    }

    func discard(_ checkpoint: Checkpoint, of item: MediaItem) async throws(SubmitFailure) {
        guard let note = SegmentedUploadCheckpoint(checkpoint) else { return }
        try await SwiftContainer(name: note.container, account: account).discard(note)
    }

    private func discard(_ note: SegmentedUploadCheckpoint) async throws(SubmitFailure) {
        try await removeSegments(below: note.segments, unlessUsedBy: note.key)
    }

    /// Removes segments whose names begin so, but those of a completed copy: a manifest may have been stored and never
    /// heard of.
    private func removeSegments(below prefix: String, unlessUsedBy key: String) async throws(SubmitFailure) {
        try await UnansweredParts.end(of: try await segmentContainer.url(of: prefix))
        if try await uses(prefix, key) { return }
        for _ in 0..<Self.mostRounds {
            let names = try await segmentContainer.allEntries(below: prefix).compactMap(\.name)
            if names.isEmpty { return }
            try await segmentContainer.delete(names)
        }
        // Listings lag behind: what they still name may be gone.
    }

    /// Whether an object is made of segments whose names begin so.
    private func uses(_ prefix: String, _ key: String) async throws(SubmitFailure) -> Bool {
        // Who takes segments for unused removes them.
        guard let manifest = try await manifest(of: key) else { return true }
        return manifest.contains { $0.name?.hasPrefix("/\(segments)/\(prefix)") ?? false }
    }

    /// The segments of an object that are named as we name those of its key, and so no other object's.
    func ownSegments(of key: String, file: String) async throws(SubmitFailure) -> [String] {
        let begin = "/\(segments)/"
        return (try await manifest(of: key, file: file) ?? []).compactMap { entry in
            guard let path = entry.name, path.hasPrefix(begin) else { return nil }
            let name = String(path.dropFirst(begin.count))
            return SegmentGroup(name)?.key == key ? name : nil
        }
    }

    func etagInParts(
        of item: MediaItem, _ bytes: any MediaBytes, like object: StoredObject, at key: String
    ) async throws(SubmitFailure) -> String? {
        guard object.isLarge else { return nil }
        let sizes = (try await manifest(of: key, file: item.name) ?? []).compactMap(\.bytes)
        guard !sizes.isEmpty, sizes.reduce(0, +) == item.size else { return nil }
        var md5s: [[UInt8]] = []
        var offset: Int64 = 0
        for size in sizes {
            let digests = try await Digests.computed([.md5], of: bytes, in: offset..<offset + size)
            md5s.append(digests[.md5] ?? [])
            offset += size
        }
        return SwiftSegmentsETag.text(md5s)
    }

    func leftovers(below prefix: String, sparing: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        let spared = Set(sparing.compactMap { SegmentedUploadCheckpoint($0)?.segments })
        var groups: [SegmentGroup: Leftover] = [:]
        for entry in try await segmentContainer.allEntries(below: prefix) {
            guard let group = entry.name.flatMap(SegmentGroup.init), !spared.contains(group.segments) else { continue }
            let begun = entry.last_modified.flatMap { Timestamp(iso8601: $0) }
            var leftover = groups[group] ?? Leftover(id: group.segments, name: group.key, begun: begun, bytes: 0)
            leftover.begun = [leftover.begun, begun].compactMap(\.self).min()
            leftover.bytes = (leftover.bytes ?? 0) + (entry.bytes ?? 0)
            groups[group] = leftover
        }
        var leftovers: [Leftover] = []
        for leftover in groups.values {
            if try await !uses(leftover.id, leftover.name) { leftovers.append(leftover) }
        }
        return leftovers.sorted { ($0.begun?.nanoseconds ?? 0, $0.name) < ($1.begun?.nanoseconds ?? 0, $1.name) }
    }

    func remove(_ leftover: Leftover) async throws(SubmitFailure) {
        // Since it was listed it may have become an object.
        try await removeSegments(below: leftover.id, unlessUsedBy: leftover.name)
    }
}

extension SubmitFailure {
    static func damagedSegment(of item: MediaItem) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "damaged",
            message: "A segment of “\(item.name)” came through damaged (its ETag is not its MD5): it is sent again.")
    }
}

/// The segments of one upload, as their names tell it: `KEY/slo/SUBMISSION/SIZE/SEGMENT SIZE/NUMBER`.
struct SegmentGroup: Hashable {
    let key: String
    /// What the names of all begin with.
    let segments: String

    /// `nil` for a name that is none of ours.
    init?(_ name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        // A name that was shortened does not tell its object's key.
        guard name.utf8.count < SegmentedUploadCheckpoint.longestName - 4, parts.count > 5,
            parts[parts.count - 5] == "slo",
            parts[parts.count - 1].count == 8,
            parts.suffix(3).allSatisfy({ Int64($0) != nil }),
            // The journal's identity and the submission's number; other clients have a time here.
            parts[parts.count - 4].contains("-")
        else { return nil }
        key = parts.dropLast(5).joined(separator: "/")
        segments = parts.dropLast().joined(separator: "/") + "/"
    }
}

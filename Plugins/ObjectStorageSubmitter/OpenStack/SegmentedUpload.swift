internal import FoundationEssentials
internal import Submit
internal import SubmitDigest
internal import SubmitHTTP
internal import SubmitTransfer

/// The upload of one item as a static large object ("Static Large Objects" in the OpenStack Swift documentation).
///
/// The journal knows where the segments are before the first of them is sent. What the cluster lists is the truth: those
/// whose MD5 is ours are kept, the others sent again.
struct SegmentedUpload: Sendable {
    private let container: SwiftContainer
    private let copy: ObjectVerifier
    private let context: SubmissionContext
    private let plan: PartPlan

    private var account: SwiftAccount { container.account }
    private var item: MediaItem { copy.item }
    private var bytes: any MediaBytes { copy.bytes }
    private var key: String { copy.key }

    init(_ container: SwiftContainer, _ copy: ObjectVerifier, _ context: SubmissionContext, _ plan: PartPlan) {
        self.container = container
        self.copy = copy
        self.context = context
        self.plan = plan
    }

    func store() async throws(SubmitFailure) -> StoreOutcome {
        let (note, stored) = try await opened()
        let plan = PartPlan(size: item.size, partSize: note.segmentSize)
        let sender = PartSender(
            plan: plan, item: item, bytes: bytes,
            upload: try await container.segmentContainer.url(of: note.segments), permits: account.permits,
            width: account.settings.jobs, digests: [.md5], context: context)
        let parts = try await sender.send(missingFrom: stored) { number, range, digests, sent in
            do throws(SubmitFailure) {
                return .success(try await put(note.name(number), range, digests, sent))
            } catch {
                return .failure(error)
            }
        }
        return try await complete(note, parts)
    }

    /// The upload that an earlier attempt began with what the cluster has of it, or a new one.
    private func opened() async throws(SubmitFailure) -> (SegmentedUploadCheckpoint, [Int: StoredPart]) {
        if let note = SegmentedUploadCheckpoint(context.checkpoint) {
            if note.container == container.name, note.key == key {
                let stored = try await container.segmentContainer.segments(of: note, file: item.name)
                // The attempt that began it may not have got as far.
                if stored.isEmpty { try await container.ensureSegments(file: item.name) }
                return (note, stored)
            }
            try await container.discard(note.checkpoint, of: item)
        }
        let note = SegmentedUploadCheckpoint(container: container.name, key: key, plan, submission: context.submission)
        try await context.keep(note.checkpoint)
        try await container.ensureSegments(file: item.name)
        return (note, [:])
    }

    private func put(
        _ name: String, _ range: Range<Int64>, _ digests: Digests, _ sent: @escaping @Sendable (Int64) -> Void
    ) async throws(SubmitFailure) -> String {
        let md5 = digests.hexadecimal(.md5) ?? ""
        let answer = try await container.segmentContainer.send(
            "PUT", name, headers: [("etag", md5), ("content-type", "application/octet-stream")],
            body: .media(bytes, range), file: item.name, sent: sent)
        guard answer.isTaken else { throw segmentFailure(answer, range.upperBound - range.lowerBound) }
        // Not every server compares it.
        let etag = try await container.segmentContainer.etag(of: name, by: answer, file: item.name)
        if let etag, plainMD5(etag) != md5 { throw .damagedSegment(of: item) }
        return etag ?? ""
    }

    private func segmentFailure(_ answer: HTTPResponse, _ size: Int64) -> SubmitFailure {
        switch answer.status {
        case 404: return lost("its segments' container is gone")
        case 413 where !answer.saysQuota:
            return SubmitFailure(
                .giveUp, code: "too-large",
                message:
                    "“\(item.name)” was not stored in \(container.place) (413): it takes no segments of \(size) bytes; set "
                    + "“part_size” lower.")
        default: return container.segmentContainer.failure(answer, file: item.name)
        }
    }

    private func lost(_ why: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "upload-lost",
            message:
                "\(container.place.capitalizedFirst) no longer has all segments of “\(item.name)” (\(why)): try again to send "
                + "what is missing.")
    }

    // MARK: The manifest

    /// As it is sent. The names are the cluster's.
    private struct Segment: Encodable {
        let path: String
        let etag: String
        let size_bytes: Int64
    }

    private func complete(_ note: SegmentedUploadCheckpoint, _ parts: [SentPart]) async throws(SubmitFailure)
        -> StoreOutcome
    {
        // Not every server minds the condition.
        let isHeld = try await container.object(key, file: item.name) != nil
        if isHeld, !context.replaces { return try await giveWay(note) }
        let manifest = parts.map {
            Segment(
                path: "/\(container.segments)/\(note.name($0.number))", etag: Hexadecimal.text(of: $0.md5 ?? []),
                size_bytes: $0.size)
        }
        var (headers, caption) = SwiftHeaders.storing(item)
        headers.append(("accept", "application/json"))
        if !isHeld { headers.append(("if-none-match", "*")) }
        // Who knows no large objects would store the list in place of the item: it is not what this is the MD5 of.
        // OpenStack compares it with that of the segments, of others nobody knows.
        let info = try await account.info(file: item.name)
        let mayBeStored = !info.isTold
        if info.isTold, info.segments == nil { throw noSegments }
        if mayBeStored { headers.append(("etag", SwiftSegmentsETag.text(parts.compactMap(\.md5)))) }
        let body = (try? JSONEncoder().encode(manifest)).map(Array.init) ?? []
        // With a heartbeat the cluster answers at once and says in the body, later, what came of it.
        let answer = try await container.send(
            "PUT", key, query: "heartbeat=on&multipart-manifest=put", headers: headers, body: .bytes(body),
            file: item.name, responseLimit: 4 << 20)
        let outcome = ManifestOutcome(answer)
        if outcome.answer.status == 412 {
            guard try await container.object(key, file: item.name) != nil else {
                // Perhaps it is ours, and shows later: its segments must not go.
                throw SubmitFailure(
                    .retry(after: nil), code: "conflict",
                    message:
                        "The server says that something has the key “\(key)” of “\(item.name)”, and shows nothing: try again."
                )
            }
            return try await giveWay(note)
        }
        if mayBeStored, outcome.answer.status == 422 {
            account.knowsNoSegments()
            throw noSegments
        }
        guard outcome.answer.isTaken else { throw try await failure(outcome, note, parts) }
        let whole = parts.allSatisfy(\.isVerified) ? SwiftSegmentsETag.text(parts.compactMap(\.md5)) : nil
        guard let proven = try await copy.proof(inParts: whole, by: CompletedUpload(etag: outcome.etag)) else {
            return try await giveWay(note)
        }
        return .stored(proven, note: caption)
    }

    private var noSegments: SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "no-segments",
            message:
                "\(container.place.capitalizedFirst) cannot make “\(item.name)” of segments: try again to send it whole."
        )
    }

    /// Leaves the key to what is there, and nothing of ours behind; it may be ours itself.
    private func giveWay(_ note: SegmentedUploadCheckpoint) async throws(SubmitFailure) -> StoreOutcome {
        try await container.discard(note.checkpoint, of: item)
        return .taken
    }

    /// What an answer that stored no manifest means.
    private func failure(
        _ outcome: ManifestOutcome, _ note: SegmentedUploadCheckpoint, _ parts: [SentPart]
    ) async throws(SubmitFailure) -> SubmitFailure {
        guard [400, 404, 409].contains(outcome.answer.status) else { return failure(outcome.answer) }
        if outcome.errors.contains(where: { $0.last?.lowercased().contains("too small") ?? false }) {
            return SubmitFailure(
                .giveUp, code: "parts-too-small",
                message:
                    "\(container.place.capitalizedFirst) does not take “\(item.name)” in segments of \(note.segmentSize) bytes: "
                    + "set “part_size” to more.")
        }
        let lacking = outcome.errors.filter { $0.last.map(Self.tellsOfLack) ?? false }
        // Of a segment that could not be looked at nothing is known: it may be as it should.
        if lacking.isEmpty, let status = outcome.errors.first?.last.flatMap({ Int($0.prefix(3)) }) {
            return failure(HTTPResponse(status: status))
        }
        // What is listed and not there would never be sent again.
        let numbers = Set(lacking.compactMap { $0.first?.split(separator: "/").last.flatMap { Int($0) } })
        var names = parts.filter { numbers.contains($0.number) }.map { note.name($0.number) }
        // Ceph's gateway does not say which.
        if outcome.errors.isEmpty { names = try await lackingSegments(note, parts) }
        if names.isEmpty { return failure(outcome.answer) }
        try await container.segmentContainer.delete(names)
        return lost("\(names.count) are missing or others")
    }

    private func failure(_ answer: HTTPResponse) -> SubmitFailure { container.failure(answer, file: item.name) }

    /// A segment is not there, or is another one ("Static Large Objects" in the OpenStack Swift documentation).
    private static func tellsOfLack(_ reason: String) -> Bool {
        ["404", "etag mismatch", "size mismatch"].contains { reason.lowercased().hasPrefix($0) }
    }

    /// The names of those that are not there, or others.
    private func lackingSegments(_ note: SegmentedUploadCheckpoint, _ parts: [SentPart]) async throws(SubmitFailure)
        -> [String]
    {
        var names: [String] = []
        for part in parts {
            let (name, md5) = (note.name(part.number), Hexadecimal.text(of: part.md5 ?? []))
            let object = try await container.segmentContainer.object(name, file: item.name)
            let isOurs = object?.size == part.size && object?.etag.flatMap(plainMD5) ?? md5 == md5
            if !isOurs { names.append(name) }
        }
        return names
    }
}

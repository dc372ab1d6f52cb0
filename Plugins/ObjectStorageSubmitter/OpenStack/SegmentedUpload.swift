internal import FoundationEssentials
internal import Submit
internal import SubmitDigest
internal import SubmitHTTP

/// The upload of one item as a static large object ("Static Large Objects" in the OpenStack Swift documentation).
///
/// The journal knows where the segments are before the first of them is sent. What the cluster lists is the truth: those
/// whose MD5 is ours are kept, the others sent again.
struct SegmentedUpload: Sendable {
    private let container: Container
    private let item: MediaItem
    private let bytes: any MediaBytes
    private let key: String
    private let replaces: Bool
    private let context: SubmissionContext
    private let plan: PartPlan

    private var account: SwiftAccount { container.account }

    init(
        _ container: Container, _ item: MediaItem, _ bytes: any MediaBytes, _ key: String, replaces: Bool,
        _ context: SubmissionContext, _ plan: PartPlan
    ) {
        self.container = container
        self.item = item
        self.bytes = bytes
        self.key = key
        self.replaces = replaces
        self.context = context
        self.plan = plan
    }

    func store() async throws(SubmitFailure) -> StoreOutcome {
        let (note, stored) = try await opened()
        let plan = PartPlan(size: item.size, partSize: note.segmentSize)
        let sender = PartSender(
            plan: plan, item: item, bytes: bytes, seats: account.seats, width: account.settings.jobs, digests: [],
            context: context)
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
    private func opened() async throws(SubmitFailure) -> (SegmentNote, [Int: StoredPart]) {
        if let note = SegmentNote(context.checkpoint) {
            if note.container == container.name, note.key == key {
                return (note, try await container.segmentContainer.segments(of: note))
            }
            try await container.discard(note.checkpoint)
        }
        let note = SegmentNote(container: container.name, key: key, plan, submission: context.submission)
        try await context.keep(note.checkpoint)
        try await container.ensureSegments()
        return (note, [:])
    }

    private func put(
        _ name: String, _ range: Range<Int64>, _ digests: Digests, _ sent: @escaping @Sendable (Int64) -> Void
    ) async throws(SubmitFailure) -> String {
        let md5 = digests.hexadecimal(.md5) ?? ""
        let answer = try await container.segmentContainer.send(
            "PUT", name, headers: [("etag", md5), ("content-type", "application/octet-stream")],
            body: .media(bytes, range), file: item.name, sent: sent)
        guard answer.isTaken else { throw container.segmentContainer.failure(answer, file: item.name) }
        // Not every server compares it.
        if let etag = answer["ETag"], plainMD5(etag) != md5 {
            throw SubmitFailure(
                .retry(afterMilliseconds: nil), code: "damaged",
                "A segment of “\(item.name)” came through damaged (its ETag is not its MD5): it is sent again.")
        }
        return answer["ETag"] ?? ""
    }

    // MARK: The manifest

    /// As it is sent. The names are the cluster's.
    private struct Segment: Encodable {
        let path: String
        let etag: String
        let size_bytes: Int64
    }

    private func complete(_ note: SegmentNote, _ parts: [SentPart]) async throws(SubmitFailure) -> StoreOutcome {
        let manifest = parts.map {
            Segment(
                path: "/\(container.segments)/\(note.name($0.number))", etag: $0.md5.hexadecimal, size_bytes: $0.size)
        }
        var (headers, caption) = SwiftHeaders.storing(item)
        headers.append(("accept", "application/json"))
        if !replaces { headers.append(("if-none-match", "*")) }
        let body = (try? JSONEncoder().encode(manifest)).map(Array.init) ?? []
        // With a heartbeat the cluster answers at once and says in the body, later, what came of it.
        let answer = try await container.send(
            "PUT", key, query: "heartbeat=on&multipart-manifest=put", headers: headers, body: .bytes(body),
            file: item.name, responseLimit: 4 << 20)
        let outcome = ManifestOutcome(answer)
        if outcome.status == 412 {
            try await container.discard(note.checkpoint)
            return .taken
        }
        guard (200..<300).contains(outcome.status) else { throw failure(outcome) }
        let whole = parts.allSatisfy(\.isVerified) ? SwiftSegmentsETag.text(parts.map(\.md5)) : nil
        let arrival = Arrival(
            container: container, item: item, bytes: bytes, key: key, verification: context.verification)
        guard let evidence = try await arrival.evidence(inParts: whole, etag: outcome.etag) else { return .taken }
        return .stored(evidence, note: caption)
    }

    private func failure(_ outcome: ManifestOutcome) -> SubmitFailure {
        guard outcome.status == 400 || outcome.status == 404, !outcome.errors.isEmpty else {
            return container.failure(HTTPResponse(status: outcome.status), file: item.name)
        }
        return SubmitFailure(
            .retry(afterMilliseconds: nil), code: "upload-lost",
            "\(container.place.capitalizedFirst) no longer has all segments of “\(item.name)” (\(outcome.errors.count) are "
                + "missing or others): what is missing is sent again.")
    }
}

/// What came of a manifest: with a heartbeat the status stands in the body.
struct ManifestOutcome: Sendable, Hashable {
    let status: Int
    let etag: String?
    /// The segments that are not as the manifest says.
    let errors: [[String]]

    init(_ answer: HTTPResponse) {
        let told = try? JSONDecoder().decode(Told.self, from: Data(answer.body.drop { $0 <= 32 }))
        errors = told?.errors ?? []
        etag = told?.etag ?? answer["ETag"]
        // A heartbeat whose end never came says nothing: the next attempt looks.
        status = answer.status == 202 ? told?.status.flatMap { Int($0.prefix(3)) } ?? 500 : answer.status
    }

    private struct Told: Decodable {
        var status: String?
        var etag: String?
        var errors: [[String]]?

        enum CodingKeys: String, CodingKey {
            case status = "Response Status"
            case etag = "Etag"
            case errors = "Errors"
        }
    }
}

/// The ETag of a static large object: the MD5 of its segments' MD5s in hexadecimal.
enum SwiftSegmentsETag {
    static func text(_ md5s: [[UInt8]]) -> String {
        var pass = DigestPass([.md5])
        for md5 in md5s { Array(md5.hexadecimal.utf8).withUnsafeBytes { pass.update($0) } }
        return pass.finalize().hexadecimal(.md5) ?? ""
    }
}

internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitHTTP
internal import SubmitTransfer

/// A part as a server lists it or said yes to it.
struct StoredPart: Sendable, Hashable {
    let number: Int
    /// Bytes.
    let size: Int64
    /// As in the header or the list.
    let etag: String
    /// In base64, where it computed that too.
    var crc32c: String?
}

/// A part that is at the server now.
struct SentPart: Sendable, Hashable {
    let number: Int
    let etag: String
    /// Bytes.
    let size: Int64
    /// `nil` where the CRC-32C was all that it was asked about.
    let md5: [UInt8]?
    let crc32c: [UInt8]
    /// An earlier attempt brought it there.
    let wasThere: Bool

    /// The server computed the part's MD5, and it is ours.
    var isVerified: Bool { md5.map { Hexadecimal.text(of: $0) == plainMD5(etag) } ?? false }

    /// Its ETag is the MD5 of other bytes, if it is one.
    var isDoubtful: Bool { md5 != nil && !isVerified && plainMD5(etag) != nil }
}

/// Brings the parts of an item to a server that may have some of them already, side by side.
struct PartSender: Sendable {
    let plan: PartPlan
    let item: MediaItem
    let bytes: any MediaBytes
    /// What no other upload is called.
    let upload: String
    let permits: AsyncSemaphore
    /// The most parts of this item at once.
    let width: Int
    /// What `put` wants to know of each part, besides its CRC-32C.
    let digests: Set<DigestAlgorithm>
    let context: SubmissionContext

    /// Sends one part and returns its ETag. Reports the part's bytes handed to the network.
    typealias Put =
        @Sendable (
            _ number: Int, _ range: Range<Int64>, _ digests: Digests, _ sent: @escaping @Sendable (Int64) -> Void
        ) async -> Result<String, SubmitFailure>

    /// Sends what is missing, and what is there and is not ours.
    ///
    /// After a failure the parts under way are still sent, see ``PartScheduler``. Cancelling the task stops at once, see
    /// ``UnansweredParts``.
    ///
    /// - Parameter stored: what the server has, by number.
    /// - Returns: all parts, in order.
    func send(missingFrom stored: [Int: StoredPart], by put: @escaping Put) async throws(SubmitFailure) -> [SentPart] {
        let scheduler = PartScheduler(plan, permits: permits, width: width, context: context)
        // Whether a part that is there is ours is found out by its digest, when its turn comes.
        let parts = try await scheduler.send(missingFrom: [Int: SentPart]()) { number, range, sent in
            do throws(SubmitFailure) {
                return .success(try await part(number, range, stored[number], put, sent))
            } catch {
                return .failure(error)
            }
        }
        try await checkWhole(parts)
        return parts
    }

    /// Parts prove nothing about the item but together: who makes an object of them says that it is what was accepted.
    private func checkWhole(_ parts: [SentPart]) async throws(SubmitFailure) {
        try bytes.verifyUnchanged()
        let isOurs: Bool
        if let accepted = item.digests[.crc32c] {
            isOurs = accepted == Digests.crc32c(ofParts: parts.map { ($0.crc32c, $0.size) })
        } else {
            isOurs = try await Digests.computed([.sha256], of: bytes)[.sha256] == item.digests[.sha256]
        }
        guard isOurs else {
            throw SubmitFailure(
                .sourceLost, code: "source-changed",
                message:
                    "“\(item.source)” has other content than was accepted: submit it again to send it as it now is.")
        }
    }

    private func part(
        _ number: Int, _ range: Range<Int64>, _ stored: StoredPart?, _ put: @escaping Put,
        _ sent: @escaping @Sendable (Int64) -> Void
    ) async throws(SubmitFailure) -> SentPart {
        let size = Int64(range.count)
        // Of a part that is there without its CRC-32C the MD5 tells whether it is ours.
        let asked: Set<DigestAlgorithm> = stored != nil && stored?.crc32c == nil ? [.md5] : []
        let ours = try await Digests.computed(digests.union(asked).union([.crc32c]), of: bytes, in: range)
        guard let crc32c = ours[.crc32c] else { throw .cancelled }
        let isOurs = stored.map { stored in
            let hasMD5 = ours.hexadecimal(.md5).map { $0 == plainMD5(stored.etag) } ?? false
            return stored.size == size && (hasMD5 || stored.crc32c == Base64.text(of: crc32c))
        }
        let there = isOurs == true ? stored?.etag : nil
        let etag: String
        if let there {
            etag = there
        } else {
            etag = try await UnansweredParts.send(
                number, of: upload, size, by: { report in await put(number, range, ours, report) }, sent)
        }
        return SentPart(number: number, etag: etag, size: size, md5: ours[.md5], crc32c: crc32c, wasThere: there != nil)
    }
}

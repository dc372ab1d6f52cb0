internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitHTTP

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

    private struct State {
        var next = 1
        var failure: SubmitFailure?
        var parts: [SentPart] = []
        /// Bytes on their way or there, by part.
        var sent: [Int: Int64] = [:]
        var allSent: Int64 = 0
        var landed: Int64 = 0
    }

    /// Sends what is missing, and what is there and is not ours.
    ///
    /// After a failure no further part is begun, and those under way are sent to their ends: a later attempt need not
    /// send them again. Cancelling the task ends this at once; see ``UnansweredParts``.
    ///
    /// - Parameter stored: what the server has, by number.
    /// - Returns: all parts, in order.
    func send(missingFrom stored: [Int: StoredPart], by put: @escaping Put) async throws(SubmitFailure) -> [SentPart] {
        let state = Locked(State())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, min(width, plan.count)) {
                group.addTask {
                    while let number = state.withLock({ take(&$0) }) {
                        do throws(SubmitFailure) {
                            try await bring(number, stored[number], put, state)
                        } catch {
                            state.withLock { $0.failure = $0.failure.map { first(of: $0, error) } ?? error }
                        }
                    }
                }
            }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let parts = state.withLock { $0.parts.sorted { $0.number < $1.number } }
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

    private func take(_ state: inout State) -> Int? {
        guard state.failure == nil, state.next <= plan.count else { return nil }
        defer { state.next += 1 }
        return state.next
    }

    /// That others were broken off because of a failure says less than the failure.
    private func first(of one: SubmitFailure, _ other: SubmitFailure) -> SubmitFailure {
        one.remedy == .cancelled ? other : one
    }

    private func bring(
        _ number: Int, _ stored: StoredPart?, _ put: @escaping Put, _ state: Locked<State>
    ) async throws(SubmitFailure) {
        guard await permits.acquire() else { throw .cancelled }
        defer { permits.release() }
        let range = plan.range(number)
        let size = range.upperBound - range.lowerBound
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
                number, of: upload, size, by: { sent in await put(number, range, ours, sent) },
                { count in advance(number, to: count, state) })
        }
        advance(number, to: size, state)
        let landed = state.withLock { state in
            state.parts.append(
                SentPart(
                    number: number, etag: etag, size: size, md5: ours[.md5], crc32c: crc32c, wasThere: there != nil))
            state.landed += size
            return state.landed
        }
        context.landed(landed)
    }

    /// What is sent a second time is no progress until it gets farther.
    private func advance(_ number: Int, to count: Int64, _ state: Locked<State>) {
        state.withLock { state in
            let before = state.sent[number] ?? 0
            guard count > before else { return }
            state.sent[number] = count
            state.allSent += count - before
            // Under the lock: two parts that report at once must not report in the other order.
            context.sent(state.allSent)
        }
    }
}

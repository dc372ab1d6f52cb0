internal import Submit
internal import SubmitDigest
internal import SubmitHTTP
internal import SubmitTransfer

/// How sure it is that what is attached to a document is an item.
struct AttachmentProof: Sendable {
    let database: CouchDatabase

    /// Bytes up to which a compressed attachment is read whole, as it cannot be read in pieces.
    private static let mostWhole: Int64 = 16 << 20

    /// - Parameter readsBack: all bytes are read, also where the database's digest would do.
    func verdict(
        on item: MediaItem, in document: StoredDocument, at id: String, readsBack: Bool, about file: String? = nil
    ) async throws(SubmitFailure) -> CopyVerdict {
        guard let attached = document.attachments?[CatalogueTelling.attachment] else { return .differs(.kind) }
        var findings = CopyFindings(size: attached.length ?? -1)
        // If the database compresses the bytes, it states the digest of the result.
        let isPlain = attached.encoding == nil || attached.encoding == "identity"
        if isPlain, let digest = attached.digest, digest.hasPrefix("md5-") {
            findings.computed[.md5] = Base64.bytes(of: digest.dropFirst("md5-".utf8.count))
        }
        let verdict = findings.verdict(on: item)
        if verdict == .differs(.size) || !readsBack && verdict != .same(.size) { return verdict }
        guard isPlain || item.size <= Self.mostWhole else { return .same(.size) }
        let url = database.url(
            of: id, "/\(CatalogueTelling.attachment)?rev=\(PercentEncoding.encode(document.revision))")
        let digest: [UInt8]?
        if isPlain {
            digest = try await reader(of: url, size: item.size, about: file).digest()
        } else {
            digest = try await whole(url, of: item.size, about: file)
        }
        return digest.map { CopyVerdict(readBack: $0, of: item) } ?? .same(.size)
    }

    private func reader(of url: String, size: Int64, about file: String?) -> RangeReader {
        RangeReader(size: size) { [database] (range, receiver) throws(SubmitFailure) in
            var request = HTTPRequest(
                method: "GET", url: url, headers: (range.map { [("Range", $0)] } ?? []) + [("Accept", "*/*")])
            request.receive = receiver.take
            return try await database.send(request, about: file)
        } judge: { [database] (answer) throws(SubmitFailure) in
            if !answer.isSuccess { throw database.failure(answer, about: file) }
        }
    }

    private func whole(_ url: String, of size: Int64, about file: String?) async throws(SubmitFailure) -> [UInt8]? {
        let answer = try await database.send(
            HTTPRequest(
                method: "GET", url: url, headers: [("Accept", "*/*"), ("Accept-Encoding", "identity")],
                responseLimit: Int(size) + 1), about: file)
        guard answer.isSuccess else { throw database.failure(answer, about: file) }
        guard Int64(answer.body.count) == size else { return nil }
        var pass = DigestPass([.sha256])
        answer.body.withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256]
    }
}

internal import Submit
internal import SubmitDigest
internal import SubmitHTTP

/// How sure it is that what is attached to a document is an item.
struct AttachmentProof: Sendable {
    let database: CouchDatabase

    /// Bytes up to which a compressed attachment is read whole, as it cannot be read in pieces.
    private static let mostWhole: Int64 = 16 << 20

    /// - Parameter readsBack: all bytes are read, also where the database's digest would do.
    /// - Returns: `nil` where it is something else, or nothing.
    func evidence(
        of item: MediaItem, in document: StoredDocument, at id: String, readsBack: Bool, about file: String? = nil
    ) async throws(SubmitFailure) -> Evidence? {
        guard let attached = document.attachments?[CatalogueTelling.attachment], attached.length == item.size else {
            return nil
        }
        let isPlain = attached.encoding == nil || attached.encoding == "identity"
        if isPlain, !readsBack, let ours = item.digests.base64(.md5), let theirs = attached.digest {
            // The database has computed it from what it took.
            return theirs == "md5-" + ours ? .verified : nil
        }
        // Of what it compresses it tells the digest of what came of that.
        guard isPlain || item.size <= Self.mostWhole else { return .size }
        let url = database.url(
            of: id, "/\(CatalogueTelling.attachment)?rev=\(PercentEncoding.encode(document.revision))")
        let digest: [UInt8]?
        if isPlain {
            digest = try await reader(of: url, size: item.size, about: file).digest()
        } else {
            digest = try await whole(url, of: item.size, about: file)
        }
        guard let digest else { return .size }
        return digest == item.digests[.sha256] ? .verified : nil
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

internal import Submit
internal import SubmitHTTP

/// The requests of tus 1.0.0 (https://tus.io/protocols/resumable-upload), each sent once.
struct Tus: Sendable {
    let server: DAVServer
    /// For sentences.
    let file: String?

    static let version = "1.0.0"

    /// Begins an upload ("Creation").
    ///
    /// - Parameter metadata: keys of ASCII without spaces and commas, and values of any kind.
    func create(
        at collection: String, of size: Int64, metadata: [(key: String, value: String)]
    ) async throws(SubmitFailure) -> HTTPResponse {
        let list = metadata.map { "\($0.key) \(Base64.text(of: $0.value.utf8))" }.joined(separator: ",")
        return try await send(
            "POST", collection, headers: [("Upload-Length", "\(size)"), ("Upload-Metadata", list)], body: .bytes([]))
    }

    /// Asks how far an upload got.
    func look(at upload: String) async throws(SubmitFailure) -> HTTPResponse {
        try await send("HEAD", upload)
    }

    /// Sends on ("PATCH").
    ///
    /// - Parameter digest: of the body ("Checksum").
    func add(
        _ body: HTTPBody, to upload: String, at offset: Int64,
        digest: (algorithm: DigestAlgorithm, value: [UInt8])? = nil, sent: (@Sendable (Int64) -> Void)? = nil
    ) async throws(SubmitFailure) -> HTTPResponse {
        var headers = [("Content-Type", "application/offset+octet-stream"), ("Upload-Offset", "\(offset)")]
        if let digest {
            headers.append(("Upload-Checksum", "\(digest.algorithm.rawValue) \(Base64.text(of: digest.value))"))
        }
        return try await send("PATCH", upload, headers: headers, body: body, sent: sent)
    }

    /// Removes an upload ("Termination"). Some do that who do not offer it, and some who do not will forget it in time:
    /// only what may be otherwise the next time is thrown.
    func end(_ upload: String) async throws(SubmitFailure) {
        let answer = try await send("DELETE", upload)
        if [401, 408, 423, 429].contains(answer.status) || answer.status >= 500 && answer.status != 501 {
            throw server.failure(answer, at: Self.place, file: file)
        }
    }

    /// What stands in sentences for an upload's path, which lets anyone write there who knows it.
    static let place = "an upload"

    private func send(
        _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: HTTPBody = .none,
        sent: (@Sendable (Int64) -> Void)? = nil
    ) async throws(SubmitFailure) -> HTTPResponse {
        var request = DAVRequest(
            method, path, headers: [("Tus-Resumable", Self.version)] + headers, body: body, file: file)
        request.sent = sent
        return try await server.send(request)
    }

    /// Digits only.
    static func count(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }
}

extension HTTPResponse {
    /// How many bytes of an upload are there.
    var uploadOffset: Int64? { self["Upload-Offset"].flatMap { Tus.count($0) } }

    /// An upload's time is over, by the server's own clock ("Expiration").
    ///
    /// - Parameter now: counts where the answer has no date.
    func hasUploadExpired(now: Timestamp) -> Bool {
        guard let end = self["Upload-Expires"].flatMap({ HTTPDate.parse($0, now: now) }) else { return false }
        return end.nanoseconds <= (self["Date"].flatMap { HTTPDate.parse($0, now: now) } ?? now).nanoseconds
    }
}

internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer

/// One PUT of all bytes.
struct PlainUpload: UploadStrategy {
    let server: DAVServer

    func bring(_ load: UploadJob) async throws(SubmitFailure) -> DeliveredBytes {
        let item = load.item
        var headers = load.dating + [("Content-Type", item.type.mime)]
        if let condition = load.condition { headers.append(condition) }
        if load.profile.answersHash { headers.append(("X-Hash", "sha256")) }
        let checksum = try await load.checksum()
        if let checksum { headers.append(("OC-Checksum", checksum)) }
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await server.put(
                load.temporary, .media(load.bytes, 0..<load.bytes.size), headers: headers, about: item.name,
                sent: load.context.sent)
        } catch {
            let body = HTTPBody.media(load.bytes, 0..<load.bytes.size)
            throw error.submitFailure(
                after: HTTPRequest(method: "PUT", url: "", body: body), host: server.host, file: item.name)
        }
        guard answer.isSuccess, !answer.isLoginPage else {
            // Part of it may lie there now, and meet no condition.
            if load.condition == nil, load.dropsDate(after: answer.status) { return try await bring(load) }
            throw server.failure(answer, at: load.temporary.description, file: item.name)
        }
        return try DeliveredBytes(answer, load, checksum: checksum, server: server)
    }
}

extension UploadJob {
    /// What `OC-Checksum` says of the item, where the server makes use of it.
    func checksum() async throws(SubmitFailure) -> String? {
        switch profile.checksum {
        case nil: return nil
        // What is only kept, for later looks, is the one that is known anyway.
        case .echoed: return try await digests.digest(.sha256).map { "SHA256:\(Hexadecimal.text(of: $0))" }
        case .verified: return try await digests.digest(.sha1).map { "SHA1:\(Hexadecimal.text(of: $0))" }
        }
    }
}

extension DeliveredBytes {
    /// What an answer on the last request of an upload says.
    ///
    /// - Parameter checksum: what it was given as `OC-Checksum`.
    init(_ answer: HTTPResponse, _ load: UploadJob, checksum: String?, server: DAVServer) throws(SubmitFailure) {
        etag = answer["OC-ETag"] ?? answer["ETag"]
        fileID = answer["OC-FileId"].map(DAVResource.fileID)
        if load.profile.answersHash, let hash = answer["X-Hash-SHA256"]?.lowercased() {
            guard hash == load.item.digests.hexadecimal(.sha256) else {
                throw SubmitFailure(
                    .retry(after: nil), code: "damaged",
                    message: "“\(server.host)” got other bytes of “\(load.item.name)” than were sent: try again.")
            }
            evidence = .verified
        } else if checksum != nil, load.profile.checksum == .verified {
            evidence = .verified
        }
    }
}

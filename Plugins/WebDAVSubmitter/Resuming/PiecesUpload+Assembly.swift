internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// The end of an upload in pieces. Putting them together can take minutes: a proxy gives up waiting long before (502,
/// 504), and who asks again meanwhile is told that the file is locked (423), or that nothing is to be put together any
/// more (404), since it is done.
extension PiecesUpload {
    /// Has the server put the pieces together at the temporary name, or sees that it has.
    ///
    /// - Returns: `nil` where it has neither the pieces nor what they make.
    /// - Throws: `assembling` where it may still be at it; the next attempt looks again.
    func assembled(_ upload: Upload, _ load: UploadJob) async throws(SubmitFailure) -> DeliveredBytes? {
        if upload.orders > 0, let brought = try await arrived(upload, load) { return brought }
        try load.bytes.verifyUnchanged()
        var upload = upload
        upload.orders += 1
        var headers = load.dating + [("OC-Total-Length", "\(upload.plan.size)")]
        if load.profile.answersHash { headers.append(("X-Hash", "sha256")) }
        // What was asked for in `X-Hash` gets lost with the answer.
        let checksum = try await load.checksum()
        if let checksum { headers.append(("OC-Checksum", checksum)) }
        try await upload.keep(load)
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            // Nobody else has the temporary name: what is there is ours, and not whole.
            answer = try await server.move(
                upload.path.appending(".file"), to: load.temporary, replaces: true, headers: headers,
                workload: upload.plan.size, about: load.item.name)
        } catch {
            switch error {
            case .broken, .stalled, .badAnswer: throw assembling(upload, load)
            default: throw error.submitFailure(host: server.host, file: load.item.name)
            }
        }
        switch answer.status {
        case 200, 201, 204:
            if answer.isLoginPage { throw server.failure(answer, at: upload.path.description, file: load.item.name) }
            return try await brought(answer, load, checksum: checksum)
        case 404, 410: return try await arrived(upload, load)
        case 202, 408, 423, 425, 502, 504: throw assembling(upload, load)
        case 500 where load.dropsDate(after: 500): return try await assembled(upload, load)
        // Whether it was begun is not said.
        case 429, 503: throw server.failure(answer, at: upload.path.description, file: load.item.name)
        default: throw try await refusal(answer, of: upload, load)
        }
    }

    /// What lies whole under the temporary name. The server is no longer asked by name of the upload then, which it
    /// removes with its last step.
    func arrived(_ upload: Upload, _ load: UploadJob) async throws(SubmitFailure) -> DeliveredBytes? {
        // A HEAD is told that the file is locked while it is put together.
        let file = try await server.file(load.temporary, lists: load.profile.lists, about: load.item.name)
        guard let file, !file.isCollection, file.size == upload.plan.size else { return nil }
        load.context.landed(upload.plan.size)
        try? await server.delete(upload.path, about: load.item.name)
        return DeliveredBytes(evidence: nil, etag: file.etag, wasResumed: true)
    }

    private func brought(
        _ answer: HTTPResponse, _ load: UploadJob, checksum: String?
    ) async throws(SubmitFailure) -> DeliveredBytes {
        do throws(SubmitFailure) {
            return try DeliveredBytes(answer, load, checksum: checksum, server: server)
        } catch {
            // The next attempt would take it for what it looks for.
            try await server.delete(load.temporary, about: load.item.name)
            throw error
        }
    }

    /// It may still be put together, or nobody knows whether it is. 5 s, and twice as long each time: as attempts are
    /// counted that is ten minutes.
    private func assembling(_ upload: Upload, _ load: UploadJob) -> SubmitFailure {
        load.context.sent(upload.plan.size)
        return SubmitFailure(
            .retry(after: .seconds(5 << min(upload.orders - 1, 7))), code: "assembling",
            message:
                "“\(server.host)” has all of “\(load.item.name)” and still puts it together: it is looked at again later, and "
                + "not sent again.")
    }

    /// It will not be put together as it is, and the server no longer tries.
    private func refusal(
        _ answer: HTTPResponse, of upload: Upload, _ load: UploadJob
    ) async throws(SubmitFailure) -> SubmitFailure {
        var upload = upload
        upload.orders = 0
        if answer.status == 400 { try await server.delete(upload.path, about: load.item.name) }
        try await upload.keep(load)
        guard answer.status == 400 else {
            return server.failure(answer, at: load.temporary.description, file: load.item.name)
        }
        return SubmitFailure(
            .retry(after: nil), code: "damaged",
            message:
                "“\(server.host)” has other pieces of “\(load.item.name)” than were sent (it answered 400): try again to send "
                + "them again.")
    }
}

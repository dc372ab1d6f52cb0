internal import Submit
internal import SubmitHTTP

/// A resource that grows piece by piece, on servers that were found to add bytes where they are told.
struct PartialUpload: Carrier {
    let server: DAVServer
    let kind: ServerProfile.PartialWrite
    /// Bytes.
    let partSize: Int64

    func bring(_ load: Load) async throws(SubmitFailure) -> Brought {
        let size = load.bytes.size
        let note = UploadNote(.partial, temporary: load.temporary, partSize: partSize)
        if load.note(of: .partial) == nil { try await load.context.keep(note.checkpoint) }
        var offset = try await position(load)
        load.context.sent(offset)
        load.context.landed(offset)
        var answer: HTTPResponse?
        while offset < size {
            let piece = offset..<min(offset + partSize, size)
            let before = offset
            var request = Self.request(kind, load.temporary, .media(load.bytes, piece), at: offset, of: size)
            // What is not there has to be made first.
            if offset == 0 { request = DAVRequest("PUT", load.temporary.encoded, body: request.body) }
            request.headers += load.dating
            request.file = load.item.name
            request.sent = { load.context.sent(before + $0) }
            let response = try await server.send(request)
            guard response.isSuccess, !response.isLoginPage else {
                throw server.failure(response, at: load.temporary.description, file: load.item.name)
            }
            offset = piece.upperBound
            load.context.landed(offset)
            answer = response
        }
        return Brought(evidence: nil, etag: answer?["ETag"], note: note)
    }

    /// How far an earlier attempt got: what the server has, which no one else has written.
    private func position(_ load: Load) async throws(SubmitFailure) -> Int64 {
        guard load.note(of: .partial) != nil else { return 0 }
        let file = try await server.file(load.temporary, lists: false, about: load.item.name)
        guard let size = file?.size, size <= load.bytes.size else { return 0 }
        return size
    }

    /// A request that writes a piece at its place.
    static func request(
        _ kind: ServerProfile.PartialWrite, _ path: DAVPath, _ body: HTTPBody, at offset: Int64, of size: Int64
    ) -> DAVRequest {
        let last = offset + (body.length ?? 0) - 1
        return switch kind {
        case .contentRange:
            DAVRequest(
                "PUT", path.encoded, headers: [("Content-Range", "bytes \(offset)-\(last)/\(size)")], body: body)
        case .patch:
            DAVRequest(
                "PATCH", path.encoded,
                headers: [
                    ("Content-Type", "application/x-sabredav-partialupdate"),
                    ("X-Update-Range", "bytes=\(offset)-\(last)"),
                ], body: body)
        }
    }
}

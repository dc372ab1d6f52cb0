internal import Submit
internal import SubmitHTTP

/// A resource that grows piece by piece, on servers that were found to add bytes where they are told, and to say no
/// more than they hold while it grows.
struct PartialUpload: UploadStrategy {
    let server: DAVServer
    let kind: ServerProfile.PartialWrite
    /// Bytes.
    let partSize: Int64

    func bring(_ load: UploadJob) async throws(SubmitFailure) -> DeliveredBytes {
        let size = load.bytes.size
        let note = UploadCheckpoint(.partial, temporary: load.temporary, partSize: partSize)
        if load.note(of: .partial) == nil { try await load.keep(note) }
        let start = try await position(load)
        var offset = start
        load.context.sent(offset)
        load.context.landed(offset)
        var answer: HTTPResponse?
        // A server that made the file anew to add to it had lost what was there.
        var mayBeAnew = false
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
            if before > 0, response.status != 204 { mayBeAnew = true }
            offset = piece.upperBound
            load.context.landed(offset)
            answer = response
        }
        if mayBeAnew, try await !holdsStart(load, size) {
            throw SubmitFailure(
                .retry(after: nil), code: "not-stored",
                message:
                    "“\(server.host)” lost the beginning of “\(load.item.name)” while the rest of it came: try again.")
        }
        return DeliveredBytes(evidence: nil, etag: answer?["ETag"], wasResumed: start > 0, note: note)
    }

    /// How far an earlier attempt got: what the server has, which no one else has written. What was lost in between and
    /// grew from there on has another beginning.
    private func position(_ load: UploadJob) async throws(SubmitFailure) -> Int64 {
        guard load.note(of: .partial) != nil else { return 0 }
        let file = try await server.file(load.temporary, lists: false, about: load.item.name)
        guard let size = file?.size, size > 0, size <= load.bytes.size, try await holdsStart(load, size) else {
            return 0
        }
        return size
    }

    /// Whether what is there begins as the item does, as far as a small part of it tells.
    ///
    /// - Parameter size: bytes of what is there.
    private func holdsStart(_ load: UploadJob, _ size: Int64) async throws(SubmitFailure) -> Bool {
        do throws(SubmitFailure) {
            return try await load.bytes.equals(in: 0..<min(size, Self.start)) { (piece) async throws(SubmitFailure) in
                try await server.reader(of: load.temporary, size: size, about: load.item.name).read(piece)
            } ?? false
        } catch {
            guard error.code == "bad-answer" else { throw error }
            return false
        }
    }

    /// Bytes.
    private static let start: Int64 = 4096

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

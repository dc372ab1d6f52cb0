internal import Submit
internal import SubmitDigest
internal import SubmitHTTP
internal import SubmitTransfer

/// An upload by tus 1.0.0 (https://tus.io/protocols/resumable-upload): the server keeps what came of it apart, says how
/// much that is, and puts it under the temporary name when it is whole.
///
/// Its path is kept before the first byte goes there, so that nothing is sent along when it is begun. Where the answer
/// on that is lost, the server forgets the upload in time.
struct TusUpload: UploadStrategy {
    let server: DAVServer
    let offer: TusOffer
    /// Bytes.
    let partSize: Int64

    /// How often in a row a server may take less than it was sent.
    static let mostShortened = 8

    /// Seconds before each further look at an upload that the server has whole and not put into place yet.
    private static let patience: [Int64] = [5, 15, 60, 120]

    func bring(_ load: UploadJob) async throws(SubmitFailure) -> DeliveredBytes {
        switch try await standing(of: load) {
        case .whole:
            load.context.sent(load.bytes.size)
            load.context.landed(load.bytes.size)
            return DeliveredBytes(wasResumed: true)
        case .open(let upload, let offset): return try await send(load, to: upload, from: offset, isNew: false)
        case .nothing:
            guard let upload = try await begin(load) else { return DeliveredBytes() }
            return try await send(load, to: upload, from: 0, isNew: true)
        }
    }

    /// What an earlier attempt came to.
    private enum Standing {
        case nothing
        case open(upload: String, offset: Int64)
        /// It lies under the temporary name.
        case whole
    }

    private func standing(of load: UploadJob) async throws(SubmitFailure) -> Standing {
        guard let upload = load.note(of: .tus)?.upload else { return .nothing }
        let tus = Tus(server: server, file: load.item.name)
        let answer = try await tus.look(at: upload)
        let size = load.bytes.size
        if answer.isSuccess, !answer.isLoginPage {
            if let offset = answer.uploadOffset, offset < size,
                answer["Upload-Length"].map({ $0 == "\(size)" }) ?? true, !answer.hasUploadExpired(now: server.time)
            {
                return .open(upload: upload, offset: offset)
            }
        } else if answer.isLoginPage || [401, 408, 423, 425, 429].contains(answer.status) || answer.status >= 500 {
            throw server.tusFailure(answer, isCreation: false, at: load.temporary, file: load.item.name)
        }
        // Whole uploads are forgotten by some servers and not by others.
        if try await server.file(load.temporary, lists: load.profile.lists, about: load.item.name)?.size == size {
            return .whole
        }
        if answer.isSuccess {
            if answer.uploadOffset == size { try await waitForFile(load) }
            try? await tus.end(upload)
        }
        return .nothing
    }

    /// A server may still scan or copy what it has whole. Ended and sent again, it would do so from the start.
    ///
    /// - Throws: a failure that counts as an attempt, until the server had its time.
    private func waitForFile(_ load: UploadJob) async throws(SubmitFailure) {
        guard var note = load.note(of: .tus), note.looks ?? 0 < Self.patience.count else { return }
        let wait = Self.patience[note.looks ?? 0]
        note.looks = (note.looks ?? 0) + 1
        try await load.keep(note)
        throw SubmitFailure(
            .retry(after: .seconds(wait)), code: HTTPFailure.noAnswerCode,
            message:
                "“\(server.host)” received all of “\(load.item.name)” and has not put it into place yet: submit looks again "
                + "before it sends anything.")
    }

    /// - Returns: the upload's path; `nil` where there is nothing to send to it.
    private func begin(_ load: UploadJob) async throws(SubmitFailure) -> String? {
        let item = load.item
        let collection = offer.creation ?? load.temporary.parent?.encoded ?? "/"
        var metadata = [("filename", load.temporary.name ?? ""), ("filetype", item.type.mime)]
        if load.wishes.dates != .none { metadata.append(("mtime", "\(item.modified.seconds)")) }
        if offer.checksWhole, let digest = try await load.digests.digest(.sha1) {
            metadata.append(("checksum", "sha1 \(Hexadecimal.text(of: digest))"))
        }
        let size = load.bytes.size
        let answer = try await Tus(server: server, file: item.name).create(at: collection, of: size, metadata: metadata)
        guard answer.isSuccess, !answer.isLoginPage else {
            throw server.tusFailure(answer, isCreation: true, at: load.temporary, file: item.name)
        }
        if size == 0 { return nil }
        switch TusLocation(answer["Location"], from: collection, at: server.endpoint) {
        case .path(let upload):
            try await load.keep(
                UploadCheckpoint(.tus, temporary: load.temporary, upload: upload, partSize: partSize))
            return upload
        case .elsewhere(let origin):
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "redirected",
                message:
                    "“\(server.host)” sends the upload of “\(item.name)” on to “\(origin)”, which is not followed: check "
                    + "“url” and how the server says that it is seen from outside.")
        case nil: throw server.tusNonsense("did not say where to send it", file: item.name)
        }
    }

    private func send(
        _ load: UploadJob, to upload: String, from start: Int64, isNew: Bool
    ) async throws(SubmitFailure) -> DeliveredBytes {
        let tus = Tus(server: server, file: load.item.name)
        let size = load.bytes.size
        var offset = start
        var isChecked = isNew
        var shortened = 0
        var wasElsewhere = false
        var last: HTTPResponse?
        load.context.sent(offset)
        load.context.landed(offset)
        while offset < size {
            let before = offset
            let piece = before..<min(before + min(partSize, offer.largestPiece ?? .max), size)
            let answer = try await tus.add(
                .media(load.bytes, piece), to: upload, at: before, digest: try await digest(of: piece, load.bytes),
                sent: { load.context.sent(before + $0) })
            if answer.status == 409, !wasElsewhere {
                // Whatever we believe, it is there.
                wasElsewhere = true
                isChecked = false
                last = nil
                offset = try await ask(upload, load)
                guard offset != before else {
                    throw server.tusFailure(answer, isCreation: false, at: load.temporary, file: load.item.name)
                }
                load.context.landed(offset)
                continue
            }
            guard answer.isSuccess, !answer.isLoginPage else {
                throw server.tusFailure(answer, isCreation: false, at: load.temporary, file: load.item.name)
            }
            let reached = if let told = answer.uploadOffset { told } else { try await ask(upload, load) }
            guard reached > before else { throw server.tusNonsense("took nothing", file: load.item.name) }
            guard reached <= piece.upperBound else {
                // There is something in it that we did not send.
                try await load.keep(nil)
                try? await tus.end(upload)
                throw server.tusNonsense("says that it got more than it was sent", file: load.item.name)
            }
            shortened = reached < piece.upperBound ? shortened + 1 : 0
            guard shortened < Self.mostShortened else {
                throw server.tusNonsense("takes only a little at a time", file: load.item.name)
            }
            if shortened > 0 { isChecked = false }
            offset = reached
            load.context.landed(offset)
            last = answer
        }
        let isProven = isNew && last != nil && (offer.checksWhole || offer.pieceDigest != nil && isChecked)
        return DeliveredBytes(
            evidence: isProven ? .verified : nil, etag: last?["OC-ETag"] ?? last?["ETag"], wasResumed: !isNew)
    }

    private func digest(
        of piece: Range<Int64>, _ bytes: any MediaBytes
    ) async throws(SubmitFailure) -> (algorithm: DigestAlgorithm, value: [UInt8])? {
        guard let algorithm = offer.pieceDigest,
            let value = try await Digests.computed([algorithm], of: bytes, in: piece)[algorithm]
        else { return nil }
        return (algorithm, value)
    }

    /// How far the upload got.
    private func ask(_ upload: String, _ load: UploadJob) async throws(SubmitFailure) -> Int64 {
        let answer = try await Tus(server: server, file: load.item.name).look(at: upload)
        guard answer.isSuccess, !answer.isLoginPage else {
            throw server.tusFailure(answer, isCreation: false, at: load.temporary, file: load.item.name)
        }
        guard let offset = answer.uploadOffset, offset <= load.bytes.size else {
            throw server.tusNonsense("did not say how far it got", file: load.item.name)
        }
        return offset
    }
}

extension DAVServer {
    /// Removes what is kept apart of an upload that is not whole.
    func removeUpload(_ note: UploadCheckpoint?, about name: String) async throws(SubmitFailure) {
        guard let note, let upload = note.upload else { return }
        if note.kind == .tus {
            try await Tus(server: self, file: name).end(upload)
        } else if let path = DAVPath(href: upload) {
            try await delete(path, about: name)
        }
    }
}

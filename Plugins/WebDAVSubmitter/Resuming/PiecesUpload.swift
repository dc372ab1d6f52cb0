internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer
internal import SubmitXML

/// Numbered pieces in a collection of their own, which the server puts together at the temporary name: Nextcloud's
/// chunked upload, version 2, and ownCloud 10's ("Chunked file upload" in Nextcloud's developer manual).
///
/// The journal knows of the upload before the server does. What the server lists is the truth: pieces of the right size
/// stay, others are sent again. Once it was told to put them together, nothing is sent again while it may still do so.
struct PiecesUpload: UploadStrategy {
    let server: DAVServer
    let discovery: DAVDiscovery
    /// Percent-encoded, from the server's root: where uploads lie.
    let home: String
    /// Bytes of a piece of an upload that is begun now.
    let pieceSize: Int64
    /// For the pieces of all items of the destination.
    let permits: AsyncSemaphore
    /// The most pieces of one item at once.
    let width: Int

    /// Nextcloud counts so far ("Chunked file upload" in its developer manual).
    static let rules = PartRules(count: 10_000)

    /// An upload that was begun, or will be.
    struct Upload: Sendable {
        let path: DAVPath
        let plan: PartPlan
        /// How often the server was told to put it together.
        var orders = 0

        init(path: DAVPath, plan: PartPlan) {
            self.path = path
            self.plan = plan
        }

        /// What the last attempt left; `nil` where it left none.
        init?(_ load: UploadJob) {
            guard let note = load.note(of: .pieces), let pieceSize = note.partSize,
                var path = note.upload.flatMap({ DAVPath(href: $0) })
            else { return nil }
            path.isCollection = true
            self.init(path: path, plan: PartPlan(size: load.bytes.size, partSize: pieceSize))
            guard plan.count <= rules.count else { return nil }
            orders = note.orders ?? 0
        }

        func keep(_ load: UploadJob) async throws(SubmitFailure) {
            var note = UploadCheckpoint(
                .pieces, temporary: load.temporary, upload: path.encoded, partSize: plan.partSize)
            note.orders = orders > 0 ? orders : nil
            try await load.keep(note)
        }
    }

    func bring(_ load: UploadJob) async throws(SubmitFailure) -> DeliveredBytes {
        if let upload = Upload(load) {
            if upload.orders > 0 {
                if let brought = try await assembled(upload, load) { return brought }
            } else if let pieces = try await pieces(of: upload, about: load.item.name) {
                return try await finished(upload, pieces, load)
            } else if let brought = try await arrived(upload, load) {
                // It was put together by a server that said it was not.
                return brought
            }
        }
        guard let upload = try await begun(load) else { return try await PlainUpload(server: server).bring(load) }
        return try await finished(upload, [:], load)
    }

    private func finished(
        _ upload: Upload, _ pieces: [Int: Int64], _ load: UploadJob
    ) async throws(SubmitFailure) -> DeliveredBytes {
        let scheduler = PartScheduler(upload.plan, permits: permits, width: width, context: load.context)
        let stored = pieces.filter { $0.value == Int64(upload.plan.range($0.key).count) }
        _ = try await scheduler.send(missingFrom: stored) { number, range, sent in
            do throws(SubmitFailure) {
                try await put(number, range, of: upload, load, sent)
                return .success(Int64(range.count))
            } catch {
                return .failure(error)
            }
        }
        guard var brought = try await assembled(upload, load) else { throw lost(load.item) }
        if !pieces.isEmpty { brought.wasResumed = true }
        return brought
    }

    // MARK: Opening

    /// A new upload; `nil` where the server has none, after all.
    private func begun(_ load: UploadJob) async throws(SubmitFailure) -> Upload? {
        let name = TemporaryName.of(load.context.submission, on: load.profile)
        guard let plan = Self.rules.plan(size: load.bytes.size, wanted: pieceSize) else { return nil }
        let upload = Upload(
            path: (DAVPath(href: home) ?? .root).appending(name, isCollection: true),
            plan: plan)
        try await upload.keep(load)
        var answer = try await make(upload, load)
        // Pieces of another size, or for another place, that nothing is known of any more.
        if answer.status == 405, try await isRemoved(upload.path, about: load.item.name) {
            answer = try await make(upload, load)
        }
        if answer.isSuccess, !answer.isLoginPage { return upload }
        guard [403, 404, 405, 409, 501].contains(answer.status) else {
            throw server.failure(answer, at: upload.path.description, file: load.item.name)
        }
        await discovery.learn { $0.upload = nil }
        try await load.keep(UploadCheckpoint(.whole, temporary: load.temporary))
        return nil
    }

    /// Nextcloud wants to know where the pieces will go before the first one comes.
    private func make(_ upload: Upload, _ load: UploadJob) async throws(SubmitFailure) -> HTTPResponse {
        try await server.send(
            DAVRequest(
                "MKCOL", upload.path.encoded, headers: [("Destination", server.url(load.temporary.encoded))],
                file: load.item.name))
    }

    private func isRemoved(_ path: DAVPath, about file: String) async throws(SubmitFailure) -> Bool {
        let answer = try await server.send(DAVRequest("DELETE", path.encoded, file: file))
        if answer.isSuccess { return true }
        if [403, 404, 405, 409, 501].contains(answer.status) { return false }
        throw server.failure(answer, at: path.description, file: file)
    }

    /// The bytes of the pieces that the server has, by number; `nil` where it knows no such upload.
    private func pieces(of upload: Upload, about file: String) async throws(SubmitFailure) -> [Int: Int64]? {
        let properties = [XMLName.dav("resourcetype"), .dav("getcontentlength")]
        guard let listing = try await server.list(upload.path, properties: properties, about: file) else { return nil }
        var pieces: [Int: Int64] = [:]
        for member in listing.members {
            guard let number = member.path.name.flatMap(PieceName.number) else { continue }
            // It would be put together with ours.
            guard (1...upload.plan.count).contains(number) else { return nil }
            pieces[number] = member.size
        }
        return pieces
    }

    // MARK: Sending

    private func put(
        _ number: Int, _ range: Range<Int64>, of upload: Upload, _ load: UploadJob,
        _ sent: @escaping @Sendable (Int64) -> Void
    ) async throws(SubmitFailure) {
        let path = upload.path.appending(PieceName.text(number))
        var request = DAVRequest(
            "PUT", path.encoded,
            headers: [
                ("Destination", server.url(load.temporary.encoded)), ("OC-Total-Length", "\(upload.plan.size)"),
            ], body: .media(load.bytes, range), file: load.item.name)
        request.sent = sent
        let answer = try await server.send(request)
        if answer.isSuccess, !answer.isLoginPage { return }
        switch answer.status {
        case 404, 409, 410: throw lost(load.item)
        case 413:
            throw SubmitFailure(
                .giveUp, code: "piece-too-large",
                message:
                    "“\(load.item.name)” was not stored at “\(server.destination)” (\(server.host) answered 413): it takes no "
                    + "piece of \(range.upperBound - range.lowerBound) bytes, so set “part_size” lower.")
        default: throw server.failure(answer, at: path.description, file: load.item.name)
        }
    }

    /// Someone ended the upload, or it was too old.
    private func lost(_ item: MediaItem) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "upload-lost",
            message: "“\(server.host)” no longer has the pieces of “\(item.name)”: try again to send what is missing.")
    }
}

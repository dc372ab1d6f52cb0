internal import Submit
internal import SubmitDigest
internal import SubmitHTTP
internal import SubmitTransfer

/// What a server says of the parts of an upload.
enum UploadParts {
    /// Those it has, by number.
    case some([Int: StoredPart])
    /// It knows no such upload.
    case gone
    /// It does not tell.
    case untold

    /// How many bytes they are, where that is known.
    var bytes: Int64? {
        guard case .some(let parts) = self else { return nil }
        return parts.values.reduce(0) { $0 + $1.size }
    }

    fileprivate var isEmpty: Bool {
        guard case .some(let parts) = self else { return false }
        return parts.isEmpty
    }
}

extension S3Bucket {
    /// How often something is asked for before it is believed that it will never be as wanted.
    private static let mostRounds = 3
    /// A server that hands out page after page for ever is not followed.
    private static let mostPages = 10_000

    /// The parts that the server has of an upload.
    func parts(of id: String, _ key: String, file: String?) async throws(SubmitFailure) -> UploadParts {
        var parts: [Int: StoredPart] = [:]
        var marker: Int?
        repeat {
            var query = ""
            if let marker { query = "part-number-marker=\(marker)&" }
            let answer = try await send(
                S3Request(
                    "GET", key, query: query + "uploadId=\(PercentEncoding.encode(id))",
                    headers: service.headers.reading, file: file,
                    responseLimit: 8 << 20))
            if answer.knowsNoUpload { return .gone }
            if answer.knowsNoRequest { return .untold }
            guard answer.isSuccess else { throw failure(answer, file: file) }
            guard let page = ListedParts(answer.body) else { throw senseless(answer, file: file) }
            for part in page.parts { parts[part.number] = part }
            // A list that does not get on has an end all the same: what it does not name is sent again.
            marker = page.next.flatMap { $0 > marker ?? 0 ? $0 : nil }
        } while marker != nil
        return .some(parts)
    }

    /// What no other upload is called.
    func upload(_ id: String, _ key: String) -> String { url(of: key) + "?" + id }

    /// Ends an upload and looks that its parts are gone ("AbortMultipartUpload" in the Amazon S3 API reference: parts
    /// under way may outlive the first abort).
    func abort(_ id: String, _ key: String) async throws(SubmitFailure) {
        try await UnansweredParts.end(of: upload(id, key))
        for _ in 0..<Self.mostRounds {
            let answer = try await send(
                S3Request("DELETE", key, query: "uploadId=\(PercentEncoding.encode(id))"))
            // OpenStack Swift goes on to list the parts of an upload that is closed.
            if answer.knowsNoUpload { return }
            guard answer.isSuccess else { throw failure(answer, file: nil) }
            guard case .some(let parts) = try await parts(of: id, key, file: nil), !parts.isEmpty else { return }
        }
        throw SubmitFailure(
            .retry(after: nil), code: SubmitFailure.uploadStaysCode,
            message:
                "The parts of “\(key)” stay in \(place) though their upload was ended: have leftovers removed again.")
    }

    func discard(_ checkpoint: Checkpoint, of item: MediaItem) async throws(SubmitFailure) {
        guard let note = MultipartCheckpoint(checkpoint) else { return }
        let bucket = S3Bucket(name: note.bucket, service: service)
        guard let id = note.id else { return try await bucket.abortNameless(note) }
        _ = try await bucket.end(id, note.key, of: item, mayBeObject: note.mayBeObject ?? true)
    }

    /// Ends an upload, and leaves the object whole that it became: the answer to its completion was lost, or the server
    /// is still about it. OpenStack Swift removes the object's own parts when it is told to abort then.
    ///
    /// - Parameters:
    ///   - item: `nil` where that is not known. Only an object as large, that claims to be no other, may be of its parts.
    ///   - mayBeObject: it was told to become one, or nobody knows.
    /// - Returns: `false` where an object may be of its parts, and what an abort does to that is not known: it stays.
    func end(
        _ id: String, _ key: String, of item: MediaItem? = nil, mayBeObject: Bool
    ) async throws(SubmitFailure) -> Bool {
        await service.recall()
        if mayBeObject, service.profile.abortsTakeObjects != false {
            let parts = try await parts(of: id, key, file: nil)
            if case .gone = parts { return true }
            // Looked at last: others may store there at any time.
            if let object = try await object(key, file: nil), item.map(object.mayBe) ?? true,
                mayBe(object, of: parts)
            {
                guard service.profile.abortsTakeObjects == true, case .some(let known) = parts else { return false }
                try await complete(id, key, known, as: object)
                return true
            }
        }
        try await abort(id, key)
        return true
    }

    private func mayBe(_ object: StoredObject, of parts: UploadParts) -> Bool {
        guard case .some(let known) = parts else { return true }
        if let size = object.size, size != parts.bytes { return false }
        guard let etag = object.etag.map(unquoted), service.profile.etagsAreOfParts == true else { return true }
        let md5s = known.sorted { $0.key < $1.key }.compactMap {
            plainMD5($0.value.etag).flatMap { Hexadecimal.bytes(of: $0) }
        }
        return md5s.count != known.count || S3PartsETag.text(md5s) == etag
    }

    /// Completes an upload once more that became an object already. It is over then.
    ///
    /// Nothing is aborted after a refusal: it says nothing of what the server is about to do.
    private func complete(
        _ id: String, _ key: String, _ parts: [Int: StoredPart], as object: StoredObject
    ) async throws(SubmitFailure) {
        let list = parts.values.sorted { $0.number < $1.number }
            .map { (number: $0.number, etag: $0.etag, crc32c: $0.crc32c) }
        let condition =
            object.etag.map {
                [(name: "if-match", value: service.learned.matchesBare ? bare($0) : $0)]
            } ?? []
        var answer = try await completion(id, key, list, headers: condition, file: nil)
        // s3api 2.38 answers 501, and knows no other condition that holds where the object is.
        if !condition.isEmpty, answer.knowsNoRequest { answer = try await completion(id, key, list, file: nil) }
        if answer.knowsNoUpload || answer.isSuccess && CompletedUpload(answer.body) != nil { return }
        if answer.status == 412 {
            throw SubmitFailure(
                .retry(after: nil), code: "conflict",
                message: "Others store under the key “\(key)” in \(place) at the same time: try again.")
        }
        throw answer.isSuccess ? senseless(answer, file: nil) : failure(answer, file: nil)
    }

    /// "CompleteMultipartUpload" in the Amazon S3 API reference.
    ///
    /// - Parameter size: bytes of all parts: the more there are, the longer it may take.
    func completion(
        _ id: String, _ key: String, _ parts: [(number: Int, etag: String, crc32c: String?)],
        headers: [(name: String, value: String)] = [], size: Int64? = nil, file: String?
    ) async throws(SubmitFailure) -> HTTPResponse {
        var request = S3Request(
            "POST", key, query: "uploadId=\(PercentEncoding.encode(id))", headers: headers,
            text: CompletedUpload.request(parts), file: file)
        request.workload = size
        return try await send(request)
    }

    /// Ends what an attempt may have begun for this key whose answer it never got: uploads from then that have no part.
    func abortNameless(_ note: MultipartCheckpoint) async throws(SubmitFailure) {
        let bucket = S3Bucket(name: note.bucket, service: service)
        for upload in try await bucket.uploads(below: note.key) ?? [] where note.mayName(upload) {
            guard try await bucket.parts(of: upload.id, upload.key, file: nil).isEmpty else { continue }
            try await bucket.abort(upload.id, upload.key)
        }
    }

    /// The uploads that are open under keys that begin so; `nil` where the server does not tell.
    func uploads(below prefix: String) async throws(SubmitFailure) -> [ListedUploads.Upload]? {
        var uploads: [ListedUploads.Upload] = []
        var marker: (key: String, id: String)?
        for _ in 0..<Self.mostPages {
            var query = "encoding-type=url"
            if let marker { query += "&key-marker=" + PercentEncoding.encode(marker.key) }
            if !prefix.isEmpty { query += "&prefix=" + PercentEncoding.encode(prefix) }
            if let marker, !marker.id.isEmpty { query += "&upload-id-marker=" + PercentEncoding.encode(marker.id) }
            let answer = try await send(S3Request("GET", query: query + "&uploads=", responseLimit: 8 << 20))
            if answer.knowsNoRequest { return nil }
            // What rclone says where there is none.
            if StorageError(answer).code == "NoSuchUpload" { return uploads }
            guard answer.isSuccess else { throw failure(answer, file: nil) }
            guard let page = ListedUploads(answer.body, below: prefix) else { throw senseless(answer, file: nil) }
            uploads += page.uploads.compactMap { upload in
                var upload = upload
                guard let key = listedKey(upload.key, below: prefix) else { return nil }
                upload.key = key
                return upload
            }
            guard var next = page.next else { return uploads }
            next.key = listedKey(next.key, below: prefix) ?? next.key
            guard marker.map({ $0 != next }) ?? true else { return uploads }
            marker = next
        }
        return uploads
    }

    func leftovers(below prefix: String, sparing: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        guard let uploads = try await uploads(below: prefix) else {
            throw SubmitFailure(
                .giveUp, code: "no-leftovers",
                message: "\(place.capitalizedFirst) does not tell of broken uploads: have it remove old ones by itself."
            )
        }
        let notes = sparing.compactMap { MultipartCheckpoint($0) }.filter { $0.bucket == name }
        var leftovers: [Leftover] = []
        for upload in uploads where !notes.contains(where: { $0.mayName(upload) }) {
            let (key, parts) = try await trueKey(of: upload)
            leftovers.append(Leftover(id: upload.id, name: key, begun: upload.begun, bytes: parts.bytes))
        }
        for object in try await scratchObjects() where object.key.hasPrefix(prefix) {
            leftovers.append(
                Leftover(id: Self.scratchID, name: object.key, begun: object.stored, bytes: object.size))
        }
        return leftovers.sorted { ($0.begun?.nanoseconds ?? 0, $0.name) < ($1.begun?.nanoseconds ?? 0, $1.name) }
    }

    /// The key under which the server knows an upload, and its parts. Ceph encodes the keys that it lists without saying so.
    private func trueKey(
        of upload: ListedUploads.Upload
    ) async throws(SubmitFailure) -> (key: String, parts: UploadParts) {
        let listed = try await parts(of: upload.id, upload.key, file: nil)
        let decoded = decodedKey(upload.key)
        guard case .gone = listed, decoded != upload.key else { return (upload.key, listed) }
        let parts = try await parts(of: upload.id, decoded, file: nil)
        if case .gone = parts { return (upload.key, listed) }
        return (decoded, parts)
    }

    /// Whether the server still lists an upload: that it knows none under a key may mean that the key is spelled otherwise.
    private func isListed(_ leftover: Leftover) async throws(SubmitFailure) -> Bool {
        let beginning = String(leftover.name.prefix { $0 != "%" })
        return try await uploads(below: beginning)?.contains { $0.id == leftover.id } ?? false
    }

    /// Of what is no upload.
    private static let scratchID = "scratch object"

    func remove(_ leftover: Leftover) async throws(SubmitFailure) {
        if leftover.id == Self.scratchID, leftover.name.hasPrefix(service.prefix + ScratchObject.mark) {
            try await remove(leftover.name)
            // A key that is listed otherwise than it is spelled is nobody's.
            let isListed = try await scratchObjects().contains { $0.key == leftover.name }
            if isListed { throw .notRemoved(leftover.name, in: place) }
            return
        }
        if try await end(leftover.id, leftover.name, mayBeObject: true) {
            guard try await isListed(leftover) else { return }
            throw SubmitFailure(
                .retry(after: nil), code: SubmitFailure.uploadStaysCode,
                message: "The upload of “\(leftover.name)” stays in \(place), though it was ended: try again.")
        }
        throw SubmitFailure(
            .giveUp, code: "upload-in-use",
            message:
                "The upload stays, as “\(leftover.name)” in \(place) may be made of its parts and not every server keeps "
                + "those when it is ended: set “provider” to what the server is.")
    }

    func etagInParts(
        of item: MediaItem, _ bytes: any MediaBytes, like object: StoredObject, at key: String
    ) async throws(SubmitFailure) -> String? {
        guard let rules = service.profile.parts, let plan = rules.plan(size: item.size, wanted: service.partSize),
            service.profile.etagsAreOfParts != false, object.etag.map(unquoted)?.hasSuffix("-\(plan.count)") ?? false
        else { return nil }
        var md5s: [[UInt8]] = []
        for number in 1...plan.count {
            let digests = try await Digests.computed([.md5], of: bytes, in: plan.range(number))
            md5s.append(digests[.md5] ?? [])
        }
        return S3PartsETag.text(md5s)
    }
}

extension MultipartCheckpoint {
    /// It is about this upload, or may be: its answer never came.
    fileprivate func mayName(_ upload: ListedUploads.Upload) -> Bool {
        if let id { return id == upload.id }
        // Servers tell whole seconds, and not all by the clock that dates their answers.
        return upload.key == key && upload.begun.map { $0.seconds >= begun - 2 } ?? false
    }
}

extension HTTPResponse {
    /// The upload that was asked about is over.
    var knowsNoUpload: Bool {
        let code = StorageError(self).code
        return code == "NoSuchUpload" || status == 404 && code != "NoSuchBucket"
    }

    /// The server has no such request.
    var knowsNoRequest: Bool {
        [405, 501].contains(status) || ["NotImplemented", "MethodNotAllowed"].contains(StorageError(self).code)
    }
}

internal import Submit
internal import SubmitHTTP

extension Bucket {
    /// What is stored under a key; `nil` for nothing.
    ///
    /// - Throws: what the answer or its absence means. An answer on HEAD has no body to say why it refuses: then the
    ///   same is asked by GET.
    func object(_ key: String, file: String?) async throws(SubmitFailure) -> StoredObject? {
        let answer = try await send("HEAD", key, file: file)
        switch answer.status {
        case 200:
            let isPage = answer["ETag"] == nil && StorageError(answer).isPage
            if isPage { throw failure(answer, file: file) }
            return StoredObject(answer)
        case 404: return nil
        default: throw try await explained(answer, key, headers: [("range", "bytes=0-0")], file: file)
        }
    }

    /// Whether the bucket is there. Throws like ``object(_:file:)``.
    func exists() async throws(SubmitFailure) -> Bool {
        let answer = try await send("HEAD", nil)
        switch answer.status {
        case 200, 204: return true
        case 404: return false
        default: throw try await explained(answer, nil, query: "list-type=2&max-keys=1", file: nil)
        }
    }

    private func explained(
        _ answer: HTTPResponse, _ key: String?, query: String = "", headers: [(name: String, value: String)] = [],
        file: String?
    ) async throws(SubmitFailure) -> SubmitFailure {
        guard (300..<500).contains(answer.status), answer.status != 429 else { return failure(answer, file: file) }
        let explanation = try await send("GET", key, query: query, headers: headers, file: file)
        let isAbout = explanation.status >= 300 && explanation.status != 404 && explanation.status != 416
        return failure(isAbout ? explanation : answer, file: file)
    }

    /// Reads an object back and compares it with an item of the same size, until they differ.
    ///
    /// - Returns: whether all bytes are the same; `false` too where the server does not hand out ranges.
    func holds(_ bytes: any MediaBytes, at key: String, file: String) async throws(SubmitFailure) -> Bool {
        let step: Int64 = 4 << 20
        var offset: Int64 = 0
        while offset < bytes.size {
            let count = Int(min(step, bytes.size - offset))
            let answer = try await send(
                "GET", key, headers: [("range", "bytes=\(offset)-\(offset + Int64(count) - 1)")], file: file,
                responseLimit: count + (64 << 10))
            let isWhole = answer.status == 200 && Int64(count) == bytes.size
            guard answer.status == 206 || isWhole, answer.body.count == count else {
                if answer.status < 400 || answer.status == 404 || answer.status == 416 { return false }
                throw failure(answer, file: file)
            }
            var ours = [UInt8](repeating: 0, count: count)
            let read = try ours.read(from: bytes, at: offset)
            guard read == count, ours == answer.body else { return false }
            offset += Int64(count)
        }
        return true
    }

    /// Makes the bucket unless it is there.
    ///
    /// - Returns: whether it had to be made.
    func create() async throws(SubmitFailure) -> Bool {
        if try await exists() { return false }
        // "CreateBucket" in the Amazon S3 API reference: us-east-1 is what no constraint means.
        var body: [UInt8] = []
        if region != "us-east-1" {
            body = Array(
                ("<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                    + "<LocationConstraint>\(region)</LocationConstraint></CreateBucketConfiguration>").utf8)
        }
        let answer = try await send("PUT", nil, body: .bytes(body), digest: SignatureV4.digest(of: body))
        if (200..<300).contains(answer.status) { return true }
        if StorageError(answer).code == "BucketAlreadyOwnedByYou" { return false }
        throw failure(answer, file: nil)
    }
}

extension [UInt8] {
    fileprivate mutating func read(from bytes: any MediaBytes, at offset: Int64) throws(SubmitFailure) -> Int {
        var result: Result<Int, SubmitFailure> = .success(0)
        withUnsafeMutableBytes { buffer in
            do throws(SubmitFailure) {
                result = .success(try bytes.read(into: buffer, at: offset))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}

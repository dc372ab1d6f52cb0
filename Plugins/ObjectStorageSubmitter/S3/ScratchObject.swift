internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitHTTP

/// An object of ours below the destination's prefix on which a server is tried out, and which is removed again.
final class ScratchObject: Sendable {
    /// What its name begins with, by which one is found that a killed process left.
    static let mark = ".submit-probe-"

    let key: String
    /// What is random in its name.
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    private let bucket: S3Bucket
    private let left = Locked(Left())

    /// What has to be removed again.
    private struct Left {
        var hasObject = false
        /// Those that a bucket with versions keeps.
        var versions: [String] = []
    }

    /// Bytes of ours, and their digests.
    struct Body {
        let bytes: [UInt8]
        let digests: Digests

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            var pass = DigestPass([.sha256, .md5, .crc32c])
            bytes.withUnsafeBytes { pass.update($0) }
            digests = pass.finalize()
        }

        init(_ text: String) { self.init(Array(text.utf8)) }

        var sha256: String { digests.hexadecimal(.sha256) ?? "" }
    }

    private var service: S3Service { bucket.service }

    init(in bucket: S3Bucket) {
        self.bucket = bucket
        key = "\(bucket.service.prefix)\(Self.mark)\(number)"
    }

    /// - Parameters:
    ///   - digests: what is said of the body, if not what is so.
    ///   - sha256: the same of what is signed.
    func put(
        _ body: Body, claiming digests: Digests? = nil, sha256: String? = nil,
        adding headers: [(name: String, value: String)] = []
    ) async throws(SubmitFailure) -> HTTPResponse {
        left.withLock { $0.hasObject = true }
        let all: [(name: String, value: String)] = [
            ("content-type", "text/plain"), (ObjectHeaders.sha256, body.sha256),
        ]
        let answer = try await bucket.send(
            S3Request(
                "PUT", key,
                headers: all + service.headers.checking(digests ?? body.digests, checksums: false)
                    + (service.headers.encryption?.storing ?? []) + headers,
                body: .bytes(body.bytes), digest: sha256 ?? body.sha256))
        note(answer)
        return answer
    }

    /// Takes down what an answer says that a bucket with versions keeps.
    func note(_ answer: HTTPResponse) {
        guard answer.isSuccess, let version = answer["x-amz-version-id"], version != "null" else { return }
        left.withLock { $0.versions.append(version) }
    }

    /// Whether objects may be removed here, which is found out before there is one.
    func mayBeRemoved() async throws(SubmitFailure) -> Bool {
        let answer = try await bucket.send(S3Request("DELETE", key))
        if answer.isSuccess || answer.status == 404 {
            // In a bucket with versions that leaves a mark.
            note(answer)
            return true
        }
        let failure = bucket.failure(answer, file: nil)
        guard failure.isLasting else { throw failure }
        return false
    }

    /// - Throws: why it stays, in a sentence that names it.
    func remove() async throws(SubmitFailure) {
        let left = left.withLock { $0 }
        guard left.hasObject || !left.versions.isEmpty else { return }
        do throws(SubmitFailure) {
            let queries = left.versions.isEmpty ? [""] : left.versions.map { "versionId=\(PercentEncoding.encode($0))" }
            for query in queries {
                let answer = try await bucket.send(S3Request("DELETE", key, query: query))
                guard answer.isSuccess || answer.status == 404 else { throw bucket.failure(answer, file: nil) }
            }
        } catch {
            throw Self.stays(key, error)
        }
    }

    static func stays(_ key: String, _ failure: SubmitFailure) -> SubmitFailure {
        var failure = failure
        failure.message += " The scratch object “\(key)” of this check may still be there: remove it."
        return failure
    }
}

extension SubmitFailure {
    /// It will be so the next time, until somebody changes something.
    var isLasting: Bool {
        switch remedy {
        case .giveUp, .renewCredentials, .hold(.misconfigured, _): true
        default: false
        }
    }
}

extension S3Bucket {
    func storeSmallObject(below prefix: String) async throws(SubmitFailure) {
        let scratch = ScratchObject(in: self)
        // Store nothing that can't be removed again.
        guard try await scratch.mayBeRemoved() else {
            throw SubmitFailure(
                .giveUp, code: "denied",
                message: "\(place) lets nobody remove anything, so nothing is stored there on trial.")
        }
        let result: Result<HTTPResponse, SubmitFailure>
        do throws(SubmitFailure) {
            result = .success(
                try await scratch.put(ScratchObject.Body([UInt8](repeating: 0x20, count: ObjectTrial.size))))
        } catch {
            result = .failure(error)
        }
        // It may be there whatever the answer says.
        do throws(SubmitFailure) { try await scratch.remove() } catch { try await scratch.remove() }
        let answer = try result.get()
        guard answer.isSuccess else { throw failure(answer, file: nil) }
    }

    /// Scratch objects that are there, by key, and when they were stored. Empty where the server does not tell.
    func scratchObjects() async throws(SubmitFailure) -> [ListedObjects.Object] {
        let prefix = service.prefix + ScratchObject.mark
        let answer = try await send(
            S3Request(
                "GET", query: "encoding-type=url&list-type=2&prefix=\(PercentEncoding.encode(prefix))",
                responseLimit: 8 << 20))
        guard answer.isSuccess, let page = ListedObjects(answer.body) else { return [] }
        // Not everyone minds what he is asked for.
        return page.objects.compactMap { object in
            var object = object
            guard let key = listedKey(object.key, below: prefix) else { return nil }
            object.key = key
            return object
        }
    }

    /// Removes those that a killed process left. One that is in use is younger.
    func removeOldScratchObjects() async throws(SubmitFailure) {
        let now = service.now
        for object in try await scratchObjects() {
            guard let stored = object.stored, now.seconds - stored.seconds > 3600 else { continue }
            try await remove(object.key)
        }
    }
}

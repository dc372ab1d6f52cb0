internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// How sure it is that an object is the item, and by what a later look knows it again.
struct ObjectProof: Sendable {
    let evidence: Evidence
    let marks: [String: String]
}

/// The proof that an item has arrived under a key.
struct ObjectVerifier: Sendable {
    let container: any ObjectContainer
    /// Shared with others that look at copies of the same item.
    let digests: ItemDigests
    let key: String
    let verification: Verification

    var item: MediaItem { digests.item }
    var bytes: any MediaBytes { digests.bytes }

    /// How sure it is that the server holds the item, after it said that it stored it; `nil` when what it holds is
    /// someone else's.
    ///
    /// - Parameters:
    ///   - answer: what it said when it stored it.
    ///   - hidesMD5: its ETag is no MD5, even if it looks like one.
    func proof(by answer: HTTPResponse, hidesMD5: Bool) async throws(SubmitFailure) -> ObjectProof? {
        let etag = answer["ETag"]
        if verification == .readback {
            return try await proofReadBack(etag: etag, marks: etag == nil ? nil : answer.marks)
        }
        let theirs = hidesMD5 ? nil : etag.flatMap(plainMD5).flatMap { Hexadecimal.bytes(of: $0) }
        if let theirs, theirs == (try await digests.digest(.md5)) {
            return ObjectProof(evidence: .verified, marks: answer.marks)
        }
        return try await proofFound(etag: etag)
    }

    /// The same for an item in parts: an ETag can be made of their list alone, so that what is there is looked at.
    ///
    /// - Parameters:
    ///   - whole: the ETag of the item as we cut it, where every part was verified.
    ///   - answer: what the server said of the object that it made of the parts.
    func proof(inParts whole: String?, by answer: CompletedUpload) async throws(SubmitFailure) -> ObjectProof? {
        // What completes an upload need not name the ETag that the object has.
        if verification == .readback { return try await proofReadBack(etag: answer.etag, marks: nil) }
        return try await proofFound(etag: answer.etag, crc32c: answer.crc32c, inParts: whole)
    }

    /// Looks whether a part that came with the MD5 of other bytes is ours: not everyone's ETag is an MD5, even if it
    /// looks like one. An object that holds another is removed.
    ///
    /// - Returns: whether that could be told.
    func verify(_ part: Range<Int64>) async throws(SubmitFailure) -> Bool {
        guard let isOurs = try await container.holds(bytes, in: part, at: key, file: item.name) else { return false }
        if isOurs { return true }
        try await container.delete(key, file: item.name)
        throw untrue("had other bytes, which were removed")
    }

    /// - Parameters:
    ///   - etag: that of the object which was stored.
    ///   - crc32c: what the server computed of that object.
    private func proofFound(
        etag: String?, crc32c: String? = nil, inParts whole: String? = nil
    ) async throws(SubmitFailure) -> ObjectProof? {
        guard var object = try await container.object(key, file: item.name) else { throw untrue("has nothing there") }
        // Not everyone who stores may ask for it later.
        if object.crc32c == nil, let etag, object.etag.map(unquoted) == unquoted(etag) { object.crc32c = crc32c }
        if let evidence = try await verdict(on: object, inParts: whole).evidence {
            return ObjectProof(evidence: evidence, marks: object.marks)
        }
        return try await proofOfOther(object, etag: etag)
    }

    /// - Parameter marks: what they are, where that is known. Otherwise they are asked for before the bytes are: whoever
    ///   replaces it in between contradicts them later.
    private func proofReadBack(etag: String?, marks: [String: String]?) async throws(SubmitFailure) -> ObjectProof? {
        var object: StoredObject?
        if marks == nil { object = try await container.object(key, file: item.name) }
        if try await container.holds(bytes, at: key, file: item.name) {
            return ObjectProof(evidence: .verified, marks: marks ?? object?.marks ?? [:])
        }
        if object == nil { object = try await container.object(key, file: item.name) }
        guard let object else { throw untrue("has nothing there") }
        return try await proofOfOther(object, etag: etag)
    }

    /// Not everyone's ETag is an MD5, even if it looks like one: what seems to be another object is read.
    private func proofOfOther(_ object: StoredObject, etag: String?) async throws(SubmitFailure) -> ObjectProof? {
        let isOurs = object.claims(item) || etag != nil && etag == object.etag
        // Of some it is not told how large they are.
        let mayBeAsLarge = object.size == nil || object.size == item.size
        if mayBeAsLarge {
            if try await container.holds(bytes, at: key, file: item.name) {
                return ObjectProof(evidence: .verified, marks: object.marks)
            }
            if !isOurs { return nil }
        }
        if isOurs { try await container.delete(key, file: item.name) }
        let held = mayBeAsLarge ? "other bytes" : "\(object.size ?? 0) bytes of \(item.size)"
        throw untrue(isOurs ? "had \(held), which were removed" : "has \(held) there")
    }

    /// How sure it is that an object that was found is the item; `nil` if it is another.
    func evidence(that object: StoredObject) async throws(SubmitFailure) -> Evidence? {
        guard object.size == nil || object.size == item.size else { return nil }
        if verification == .usual {
            switch try await verdict(on: object) {
            case .same(.echoed):
                let whole = try await container.etagInParts(of: item, bytes, like: object, at: key)
                return whole != nil && object.etag.map(unquoted) == whole ? .verified : .echoed
            case .same(.verified): return .verified
            case .differs: return nil
            case .same, .doubtful: break
            }
        }
        return try await container.holds(bytes, at: key, file: item.name) ? .verified : nil
    }

    /// - Parameter whole: the ETag of the item in parts, as submit cuts it. A server can make it from the list of parts alone,
    ///   so it proves nothing if the size isn't known.
    private func verdict(
        on object: StoredObject, inParts whole: String? = nil
    ) async throws(SubmitFailure) -> CopyVerdict {
        let isWhole = whole != nil && object.size != nil && object.etag.map(unquoted) == whole
        var findings = object.findings
        // That ETag is no MD5 of the bytes.
        if isWhole { (findings.computed[.md5], findings.possible[.md5]) = (nil, nil) }
        let verdict = try await digests.verdict(on: findings)
        return isWhole && verdict.evidence != nil ? .same(.verified) : verdict
    }

    private func untrue(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "not-stored",
            message:
                "The server said yes to “\(item.name)” and \(what) under “\(key)” in \(container.place): try again.")
    }
}

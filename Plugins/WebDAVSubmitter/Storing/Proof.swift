internal import Submit
internal import SubmitDigest

/// The proof that a resource holds an item.
struct Proof: Sendable {
    let server: DAVServer
    let item: MediaItem
    let bytes: any MediaBytes
    let verification: Verification
    let profile: ServerProfile

    /// How sure it is that the server holds the item at `path`, after it said that it stored it there.
    ///
    /// - Parameter look: what the server says of it; asked for where that is not known.
    /// - Returns: the evidence, and the ETag that it has, where it was told.
    /// - Throws: `not-stored` where it holds something else, which is removed.
    func evidence(
        of brought: Brought, at path: DAVPath, look: (() async throws(SubmitFailure) -> StoredFile?)? = nil
    ) async throws(SubmitFailure) -> (Evidence, etag: String?) {
        if verification == .readback {
            if try await holds(path) { return (.verified, brought.etag) }
            throw try await untrue(try await server.file(path, lists: profile.lists, about: item.name), path)
        }
        if let evidence = brought.evidence { return (evidence, brought.etag) }
        if profile.etagsAreMD5, let etag = brought.etag, try await unquoted(etag) == digest(.md5) {
            return (.verified, etag)
        }
        let found: StoredFile?
        if let look { found = try await look() } else {
            found = try await server.file(path, lists: asksForMore, about: item.name)
        }
        guard let file = found else { throw try await untrue(nil, path) }
        switch try await likeness(of: file) {
        case .same(let evidence): return (evidence, file.etag)
        case .unclear: return (file.size == nil ? .unknown : .size, file.etag)
        case .different: throw try await untrue(file, path)
        }
    }

    /// How sure it is that something which was there before is the item; `nil` if it is something else.
    ///
    /// What the server cannot tell is read.
    func evidence(that file: StoredFile, at path: DAVPath) async throws(SubmitFailure) -> Evidence? {
        guard !file.isCollection, file.size == nil || file.size == item.size else { return nil }
        if verification == .usual {
            switch try await likeness(of: file) {
            case .same(let evidence) where evidence != .size: return evidence
            case .different: return nil
            case .same, .unclear: break
            }
            if profile.computesDigests, let theirs = try await server.computedDigest(of: path, about: item.name) {
                return try await theirs == digest(.sha256) ? .verified : nil
            }
        }
        return try await holds(path) ? .verified : nil
    }

    /// PROPFIND costs the server more than HEAD: it is asked only where it tells more.
    var asksForMore: Bool { profile.lists && profile.checksum != nil }

    private enum Likeness {
        case same(Evidence)
        case different
        /// Of the same size, and that is all that is known.
        case unclear
    }

    private func likeness(of file: StoredFile) async throws(SubmitFailure) -> Likeness {
        guard !file.isCollection, file.size == nil || file.size == item.size else { return .different }
        for algorithm in [DigestAlgorithm.sha256, .sha1, .md5] {
            guard let theirs = file.checksums[algorithm] else { continue }
            guard theirs == (try await digest(algorithm)) else { return .different }
            return .same(profile.checksum == .verified ? .verified : .echoed)
        }
        if profile.etagsAreMD5, let etag = file.etag, !etag.hasPrefix("W/") {
            return unquoted(etag) == (try await digest(.md5)) ? .same(.verified) : .different
        }
        return .unclear
    }

    private func digest(_ algorithm: DigestAlgorithm) async throws(SubmitFailure) -> String? {
        if let known = item.digests.hexadecimal(algorithm) { return known }
        return try await Digests.computed([algorithm], of: bytes).hexadecimal(algorithm)
    }

    private func holds(_ path: DAVPath) async throws(SubmitFailure) -> Bool {
        if item.size == 0 { return try await server.file(path, lists: profile.lists, about: item.name)?.size == 0 }
        return try await bytes.equals { (piece) async throws(SubmitFailure) in
            try await server.read(path, piece, of: item.size, about: item.name)
        } ?? false
    }

    private func untrue(_ file: StoredFile?, _ path: DAVPath) async throws(SubmitFailure) -> SubmitFailure {
        if file != nil { try await server.delete(path, about: item.name) }
        let held =
            switch file?.size {
            case nil: "does not have it"
            case item.size: "has other bytes, which were removed"
            case let size?: "has \(size) of \(item.size) bytes, which were removed"
            }
        return SubmitFailure(
            .retry(afterMilliseconds: nil), code: "not-stored",
            "“\(server.host)” said yes to “\(item.name)” and \(held): try again.")
    }
}

internal import Submit
internal import SubmitDigest
internal import SubmitHTTP

/// The proof that a resource holds an item.
///
/// An upload that was resumed is proven by a digest that the server computed, or else by reading it back, whatever the
/// server said of it on the way: Apache Tomcat makes a file as long as the whole with the first piece of it.
struct CopyProof: Sendable {
    let server: DAVServer
    let item: MediaItem
    let bytes: any MediaBytes
    let verification: Verification
    let profile: ServerProfile

    /// What was found of an item that the server holds.
    struct Finding: Sendable, Hashable {
        var evidence: Evidence
        /// As it was told there.
        var etag: String?
        var fileID: String?
    }

    /// How sure it is that the server holds the item at `path`, after it said that it stored it there.
    ///
    /// - Parameter look: what the server says of it; asked for where that is not known.
    /// - Throws: `not-stored` where it holds something else, which is removed.
    func evidence(
        of brought: DeliveredBytes, at path: DAVPath, look: (() async throws(SubmitFailure) -> StoredFile?)? = nil
    ) async throws(SubmitFailure) -> Finding {
        if verification == .readback {
            let file = try await server.file(path, lists: asksForMore, about: item.name)
            if try await holds(path) {
                return Finding(
                    evidence: .verified, etag: file?.etag ?? brought.etag, fileID: file?.fileID ?? brought.fileID)
            }
            throw try await untrue(try await server.file(path, lists: profile.lists, about: item.name), path)
        }
        if let evidence = brought.evidence {
            return Finding(evidence: evidence, etag: brought.etag, fileID: brought.fileID)
        }
        if profile.etagsAreMD5, let etag = brought.etag, try await unquoted(etag) == digest(.md5) {
            return Finding(evidence: .verified, etag: etag, fileID: brought.fileID)
        }
        let found: StoredFile?
        if let look {
            found = try await look()
        } else {
            found = try await server.file(path, lists: asksForMore, about: item.name)
        }
        guard let said = found else { throw try await untrue(nil, path) }
        let file = try await sizeChecked(said, at: path)
        var finding = Finding(evidence: .unknown, etag: file.etag, fileID: file.fileID ?? brought.fileID)
        switch try await likeness(of: file) {
        case .same(let evidence): finding.evidence = evidence
        case .unclear: finding.evidence = file.size == nil ? .unknown : .size
        case .different: throw try await untrue(file, path)
        }
        if finding.evidence != .verified, brought.wasResumed || file.size != said.size {
            guard try await isProven(at: path) else { throw try await untrue(file, path) }
            finding.evidence = .verified
        }
        return finding
    }

    /// Whether the server's own digest, or else its bytes, are the item's. A copy that cannot be read is not proven.
    private func isProven(at path: DAVPath) async throws(SubmitFailure) -> Bool {
        if profile.computesDigests, let theirs = try await server.computedDigest(of: path, about: item.name) {
            return try await theirs == digest(.sha256)
        }
        do throws(SubmitFailure) {
            return try await holds(path)
        } catch {
            guard ["denied", "not-webdav"].contains(error.code) else { throw error }
            return false
        }
    }

    /// What the server says of a file, without a size that is not the item's and that HEAD and PROPFIND do not agree on.
    private func sizeChecked(_ file: StoredFile, at path: DAVPath) async throws(SubmitFailure) -> StoredFile {
        guard profile.lists, !file.isCollection, let size = file.size, size != item.size,
            let other = try await server.file(path, lists: !asksForMore, about: item.name), other.size == item.size
        else { return file }
        var unsized = file
        unsized.size = nil
        return unsized
    }

    /// How sure it is that what lies at `path` is what was moved there.
    ///
    /// - Parameters:
    ///   - file: what the server says of it.
    ///   - finding: what was found where it was moved from.
    /// - Returns: `nil` where it is something else.
    func evidence(
        that file: StoredFile, at path: DAVPath, is finding: Finding
    ) async throws(SubmitFailure) -> Evidence? {
        let likeness = try await likeness(of: file)
        if case .different = likeness { return nil }
        if profile.hasFileIDs, let ours = finding.fileID, let theirs = file.fileID, ours != theirs { return nil }
        if let ours = finding.etag, let theirs = file.etag {
            if unquoted(ours) == unquoted(theirs) {
                // What was read under an ETag that may be another's is read again.
                let isSure = profile.etagsTellFiles && !ours.hasPrefix("W/") && !theirs.hasPrefix("W/")
                if verification == .usual || isSure { return finding.evidence }
            } else if profile.movesKeepETags, try await !holds(path) {
                return nil
            }
        }
        if verification == .readback { return try await holds(path) ? .verified : nil }
        if case .same(let evidence) = likeness { return evidence }
        if profile.hasFileIDs, finding.fileID != nil, file.fileID != nil { return finding.evidence }
        // A digest of what lay elsewhere says nothing of this.
        return file.size == nil ? .unknown : .size
    }

    /// It is the file that was moved, and no other that is like it.
    func isSurely(_ file: StoredFile, _ finding: Finding) -> Bool {
        guard !file.isCollection, file.size == item.size else { return false }
        if profile.hasFileIDs, let ours = finding.fileID, let theirs = file.fileID { return ours == theirs }
        guard profile.movesKeepETags, profile.etagsTellFiles, let ours = finding.etag, let theirs = file.etag else {
            return false
        }
        return ours == theirs && !ours.hasPrefix("W/")
    }

    /// Whether what lies at `path` is the beginning of the item, as a broken upload leaves it, and no file of another's.
    func holdsBeginning(_ file: StoredFile, at path: DAVPath) async throws(SubmitFailure) -> Bool {
        guard !file.isCollection, let size = file.size, size < item.size else { return false }
        if size == 0 { return true }
        return try await server.reader(of: path, size: size, about: item.name).holds(bytes, in: 0..<size) ?? false
    }

    /// How sure it is that something which was there before is the item; `nil` if it is something else.
    ///
    /// What the server cannot tell is read.
    func evidence(that file: StoredFile, at path: DAVPath) async throws(SubmitFailure) -> Evidence? {
        let file = try await sizeChecked(file, at: path)
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
        if profile.etagsAreMD5, let etag = file.etag, !etag.hasPrefix("W/"), isMD5(etag) {
            return unquoted(etag) == (try await digest(.md5)) ? .same(.verified) : .different
        }
        return .unclear
    }

    private func digest(_ algorithm: DigestAlgorithm) async throws(SubmitFailure) -> String? {
        if let known = item.digests.hexadecimal(algorithm) { return known }
        return try await Digests.computed([algorithm], of: bytes).hexadecimal(algorithm)
    }

    /// Whether all bytes at `path` are the item's.
    func holds(_ path: DAVPath) async throws(SubmitFailure) -> Bool {
        if item.size == 0 { return try await server.file(path, lists: profile.lists, about: item.name)?.size == 0 }
        return try await server.reader(of: path, size: item.size, about: item.name).holds(bytes, in: 0..<item.size)
            ?? false
    }

    private func untrue(_ file: StoredFile?, _ path: DAVPath) async throws(SubmitFailure) -> SubmitFailure {
        if file != nil { try await server.delete(path, about: item.name) }
        return untrue(file?.size)
    }

    /// - Parameter size: bytes of what the server had and has no longer; `nil` for nothing.
    func untrue(_ size: Int64?) -> SubmitFailure {
        let held =
            switch size {
            case nil: "does not have it"
            case item.size: "has other bytes, which were removed"
            case let size?: "has \(size) of \(item.size) bytes, which were removed"
            }
        return SubmitFailure(
            .retry(after: nil), code: "not-stored",
            message: "“\(server.host)” said yes to “\(item.name)” and \(held): try again.")
    }
}

internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// The proof that a resource holds an item.
///
/// An upload that was resumed is proven by a digest that the server computed, or else by reading it back, whatever the
/// server said of it on the way: Apache Tomcat makes a file as long as the whole with the first piece of it.
struct CopyProof: Sendable {
    let server: DAVServer
    let digests: ItemDigests
    let verification: Verification
    let profile: ServerProfile

    private var item: MediaItem { digests.item }
    private var bytes: any MediaBytes { digests.bytes }

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
        if profile.etagsAreMD5, let etag = brought.etag,
            try await Hexadecimal.bytes(of: unquoted(etag)) == digests.digest(.md5)
        {
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
        guard let evidence = try await verdict(on: file).evidence else { throw try await untrue(file, path) }
        finding.evidence = evidence
        if finding.evidence != .verified, brought.wasResumed || file.size != said.size {
            guard try await isProven(at: path) else { throw try await untrue(file, path) }
            finding.evidence = .verified
        }
        return finding
    }

    /// Whether the server's own digest, or else its bytes, are the item's. A copy that cannot be read is not proven.
    private func isProven(at path: DAVPath) async throws(SubmitFailure) -> Bool {
        if profile.computesDigests, let theirs = try await server.computedDigest(of: path, about: item.name) {
            return try await theirs == digests.digest(.sha256)
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
        guard let evidence = try await verdict(on: file).evidence else { return nil }
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
        if evidence == .verified || evidence == .echoed { return evidence }
        if profile.hasFileIDs, finding.fileID != nil, file.fileID != nil { return finding.evidence }
        // A digest of what lay elsewhere says nothing of this.
        return evidence
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
        guard let evidence = try await verdict(on: file).evidence else { return nil }
        if verification == .usual {
            if evidence == .verified || evidence == .echoed { return evidence }
            if profile.computesDigests, let theirs = try await server.computedDigest(of: path, about: item.name) {
                return try await theirs == digests.digest(.sha256) ? .verified : nil
            }
        }
        return try await holds(path) ? .verified : nil
    }

    /// PROPFIND costs the server more than HEAD: it is asked only where it tells more.
    var asksForMore: Bool { profile.lists && profile.checksum != nil }

    private func verdict(on file: StoredFile) async throws(SubmitFailure) -> CopyVerdict {
        file.isCollection ? .differs(.kind) : try await digests.verdict(on: file.findings(profile))
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

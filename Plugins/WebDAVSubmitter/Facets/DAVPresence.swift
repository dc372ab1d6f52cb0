internal import Submit
internal import SubmitHTTP

/// Looks for an item under the path that its receipt names. What fails then is no storing of it, and names no file.
struct DAVPresence: PresenceFacet {
    let server: DAVServer
    let discovery: DAVDiscovery

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let profile = try await discovery.profile()
            let path = path(of: receipt, profile)
            let lists = profile.lists && profile.checksum != nil
            guard let file = try await server.file(path, lists: lists, about: nil) else { return .absent }
            guard !file.isCollection else { return .changed(.kind) }
            guard file.size == nil || file.size == item.size else {
                return try await hasOtherSize(file, path, lists: lists, profile, item)
                    ? .changed(.size) : await presenceReadBack(of: item, receipt: receipt)
            }
            var evidence: Evidence = file.size == nil ? .unknown : .size
            for algorithm in [DigestAlgorithm.sha256, .sha1, .md5] {
                guard let theirs = file.checksums[algorithm], let ours = item.digests.hexadecimal(algorithm) else {
                    continue
                }
                guard theirs == ours else { return .changed(.digest) }
                if profile.checksum == .verified { return .present(.verified) }
                evidence = .echoed
                break
            }
            if profile.etagsAreMD5, let md5 = item.digests.hexadecimal(.md5), let etag = file.etag, isMD5(etag) {
                return unquoted(etag) == md5 ? .present(.verified) : .changed(.digest)
            }
            if try await isStoredAnew(file, path, lists: lists, profile, item, receipt) {
                return await presenceStoredAnew(of: item, receipt: receipt)
            }
            return .present(evidence)
        } catch {
            return .unknown(error.message)
        }
    }

    /// Servers may mark a file otherwise in a listing than where they are asked for it: it is the same if either says so.
    private func isStoredAnew(
        _ file: StoredFile, _ path: DAVPath, lists: Bool, _ profile: ServerProfile, _ item: MediaItem,
        _ receipt: Receipt
    ) async throws(SubmitFailure) -> Bool {
        let names = StoredFile.marksStrongestFirst
        guard receipt.isContradicted(by: file.marks, strongestFirst: names) else { return false }
        guard profile.lists, let other = try await server.file(path, lists: !lists, about: nil),
            names.contains(where: { other.marks[$0] != nil && receipt.marks[$0] != nil })
        else { return true }
        return receipt.isContradicted(by: other.marks, strongestFirst: names)
    }

    /// Whether HEAD and PROPFIND both say that it has another size than the item: one of them alone may be wrong.
    private func hasOtherSize(
        _ file: StoredFile, _ path: DAVPath, lists: Bool, _ profile: ServerProfile, _ item: MediaItem
    ) async throws(SubmitFailure) -> Bool {
        guard let size = file.size, size != item.size else { return false }
        guard profile.lists else { return true }
        return try await server.file(path, lists: !lists, about: nil)?.size != item.size
    }

    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let profile = try await discovery.profile()
            let path = path(of: receipt, profile)
            guard let file = try await server.file(path, lists: profile.lists, about: nil) else { return .absent }
            guard !file.isCollection else { return .changed(.kind) }
            let isOther = try await hasOtherSize(file, path, lists: profile.lists, profile, item)
            guard !isOther else { return .changed(.size) }
            let digest = try await server.reader(of: path, size: item.size, about: nil).digest()
            guard let digest else {
                return .unknown(
                    "“\(receipt.remoteID)” cannot be read back: “\(server.host)” does not hand out its bytes.")
            }
            return digest == item.digests[.sha256] ? .present(.verified) : .changed(.digest)
        } catch {
            return .unknown(error.message)
        }
    }

    private func path(of receipt: Receipt, _ profile: ServerProfile) -> DAVPath {
        PathNames.split(receipt.remoteID).filter { !$0.isEmpty }.reduce(discovery.base(of: profile)) {
            $0.appending($1)
        }
    }
}

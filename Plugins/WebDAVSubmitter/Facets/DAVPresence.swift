internal import Submit

/// Looks for an item under the path that its receipt names.
struct DAVPresence: PresenceFacet {
    let server: DAVServer
    let discovery: Discovery

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let profile = try await discovery.profile()
            let path = receipt.remoteID.pathNames.filter { !$0.isEmpty }.reduce(discovery.base(of: profile)) {
                $0.appending($1)
            }
            let lists = profile.lists && profile.checksum != nil
            guard let file = try await server.file(path, lists: lists, about: item.name), !file.isCollection,
                file.size == nil || file.size == item.size
            else { return .absent }
            for algorithm in [DigestAlgorithm.sha256, .sha1, .md5] {
                guard let theirs = file.checksums[algorithm], let ours = item.digests.hexadecimal(algorithm) else { continue }
                return theirs == ours ? .present(profile.checksum == .verified ? .verified : .echoed) : .absent
            }
            if profile.etagsAreMD5, let md5 = item.digests.hexadecimal(.md5), let etag = file.etag {
                return unquoted(etag) == md5 ? .present(.verified) : .absent
            }
            return .present(file.size == nil ? .unknown : .size)
        } catch {
            return .unknown(error.sentence)
        }
    }
}

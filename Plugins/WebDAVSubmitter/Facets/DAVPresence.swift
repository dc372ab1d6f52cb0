internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// Looks for an item under the path that its receipt names. What fails then is no storing of it, and names no file.
struct DAVPresence: CopyInspector {
    let server: DAVServer
    let discovery: DAVDiscovery

    func inspect(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async throws(SubmitFailure) -> Presence {
        let profile = try await discovery.profile()
        let path = PathNames.split(receipt.remoteID).filter { !$0.isEmpty }.reduce(discovery.base(of: profile)) {
            $0.appending($1)
        }
        let lists = profile.lists && (readsBack || profile.checksum != nil)
        guard let file = try await server.file(path, lists: lists, about: nil) else { return .absent }
        guard !file.isCollection else { return .changed(.kind) }
        guard try await !hasOtherSize(file, path, lists: lists, profile, item) else { return .changed(.size) }
        let verdict = file.findings(profile).verdict(on: item)
        // HEAD and PROPFIND don't agree on the size.
        if readsBack || verdict == .differs(.size) { return try await read(path, item, receipt) }
        if case .same(let evidence) = verdict, evidence != .verified,
            try await isStoredAnew(file, path, lists: lists, profile, item, receipt)
        {
            return await presenceStoredAnew(of: item, receipt: receipt)
        }
        return verdict.presence
    }

    private func read(
        _ path: DAVPath, _ item: MediaItem, _ receipt: Receipt
    ) async throws(SubmitFailure) -> Presence {
        guard let digest = try await server.reader(of: path, size: item.size, about: nil).digest() else {
            return .unknown("“\(receipt.remoteID)” cannot be read back: “\(server.host)” does not hand out its bytes.")
        }
        return CopyVerdict(readBack: digest, of: item).presence
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
}

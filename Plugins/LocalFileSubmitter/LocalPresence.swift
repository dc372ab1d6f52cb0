internal import Submit
internal import SubmitTransfer

/// Whether a copy is still there: only the same bytes count.
struct LocalPresence: CopyInspector {
    let place: LocalPlace

    func inspect(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async throws(SubmitFailure) -> Presence {
        guard let names = PathNames.plain(receipt.remoteID), let name = names.last else {
            return .unknown("“\(receipt.remoteID)” is no path below “\(place.root)”.")
        }
        return try await place.inFolder(names.dropLast()) { (folder) throws(SubmitFailure) in
            guard let folder else { return .absent }
            switch try FileContent.compare(name, in: folder, with: item) {
            case .same: return .present(.verified)
            case .different(let difference, _): return .changed(difference)
            case .unreadable(let error):
                return .unknown("“\(folder.path)/\(name)” cannot be read (\(error)): see whose it is.")
            case .missing: return .absent
            }
        }
    }
}

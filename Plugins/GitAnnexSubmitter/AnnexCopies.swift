internal import Submit
internal import SubmitPrograms
internal import SubmitTransfer

/// Copies that were stored: whether they are still there, and away with them.
struct AnnexCopies: CopyInspector, RemovalFacet {
    let remote: AnnexRemote

    func inspect(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async throws(SubmitFailure) -> Presence {
        let place = try place(receipt.remoteID, AnnexKey(item))
        switch try await remote.speak(about: place.key, { (talk) throws(SubmitFailure) in try talk.look(place) }) {
        case .there where readsBack:
            return try await remote.holds(item, at: place) ? .present(.verified) : .changed(.digest)
        case .there: return .present(.unknown)
        case .notThere: return .absent
        case .unknown(let sentence): return .unknown(sentence)
        }
    }

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        let place = try place(receipt.remoteID, .unknown)
        try await remote.speak(about: place.key) { (talk) throws(SubmitFailure) in try talk.remove(place) }
    }

    /// A remote has no albums.
    func removeAlbum(_ album: String) async throws(SubmitFailure) {}

    private func place(_ id: String, _ key: AnnexKey) throws(SubmitFailure) -> AnnexSession.Place {
        if remote.configuration.exports {
            guard PathNames.plain(id) != nil, !id.unicodeScalars.contains(where: \.endsNames)
            else {
                throw SubmitFailure(.giveUp, code: "path", message: "“\(id)” is no name of a copy.")
            }
            return .init(key: key, name: id)
        }
        guard let stored = AnnexKey(id) else {
            throw SubmitFailure(.giveUp, code: "path", message: "“\(id)” is no key.")
        }
        return .init(key: stored, name: nil)
    }
}

extension AnnexRemote {
    /// Fetches a copy and compares it with an item.
    func holds(_ item: MediaItem, at place: AnnexSession.Place) async throws(SubmitFailure) -> Bool {
        let folder = try PrivateFolder()
        let path = folder.path(place.key.text)
        try await speak(about: place.key) { (talk) throws(SubmitFailure) in try talk.retrieve(place, to: path) }
        return try await FetchedFile(path).equals(item)
    }
}

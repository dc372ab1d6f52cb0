internal import Submit

extension ContractSuite {
    static let removal: [ContractCase] = [
        ContractCase(
            "removal", "a copy that is removed is gone, and removing it again does nothing", needs: [.removal]
        ) { place in
            let removal = try await place.removalFacet()
            let (bytes, other) = (try await place.bytes(count: 300), try await place.bytes(count: 400, seed: 2))
            let receipt = try await place.submit(bytes)
            _ = try await place.submit(other, named: "other.jpg", as: "contract-2")
            for _ in 1...2 { try await removal.remove(receipt) }
            try await place.expectExactly([other.content], after: "the removal of one copy of two")
            if let presence = try await place.makeSubmitter().facets.presence {
                let found = await presence.presence(of: bytes.item(named: "photo.jpg"), receipt: receipt)
                try expect(found == .absent, "a copy that was removed should be `absent`, and this was said: \(found)")
            }
        },
        ContractCase(
            "removal-outside", "a receipt that leads out of the destination removes nothing", needs: [.removal]
        ) { place in
            let removal = try await place.removalFacet()
            let bytes = try await place.bytes(count: 300)
            let receipt = try await place.submit(bytes)
            let last = receipt.remoteID.split(separator: "/").last.map(String.init) ?? receipt.remoteID
            for id in [
                "", ".", "..", "/", "../\(last)", "nowhere/../\(last)", "./\(last)", "//\(last)", "nowhere//\(last)",
            ] {
                // Refusing it is as good as finding nothing.
                _ = await Result { () async throws(SubmitFailure) in
                    try await removal.remove(Receipt(remoteID: id, evidence: .verified))
                }
                try await place.expectCopies([bytes.content], after: "the removal of “\(id)”")
            }
        },
        ContractCase(
            "removal-album", "an empty album is removed, and one with something in it stays",
            needs: [.removal, .albums]
        ) { place in
            let removal = try await place.removalFacet()
            guard let albums = try await place.makeSubmitter().facets.albums else {
                throw NotTried(lacking: .albums, "it has no albums")
            }
            let bytes = try await place.bytes(count: 300)
            let receipt = try await place.submit(bytes, album: "Summer")
            try await removal.removeAlbum("Summer")
            try await place.expectExactly([bytes.content], after: "the removal of an album with something in it")
            try await removal.remove(receipt)
            // Folders that a path template makes below it are albums, too.
            let within = try await albums.list().filter { $0.hasPrefix("Summer/") }
            for album in within.sorted(by: { $0.utf8.count > $1.utf8.count }) { try await removal.removeAlbum(album) }
            for _ in 1...2 { try await removal.removeAlbum("Summer") }
            let listed = try await albums.list()
            try expect(
                !listed.contains("Summer"), "an album that was removed should not be listed, and these are: \(listed)")
        },
    ]
}

extension ContractPlace {
    fileprivate func removalFacet() async throws -> any RemovalFacet {
        guard let removal = try await makeSubmitter().facets.removal else {
            throw NotTried(lacking: .removal, "it removes nothing")
        }
        return removal
    }
}

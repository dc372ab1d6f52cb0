internal import Submit

extension ContractSuite {
    static let albums: [ContractCase] = [
        ContractCase("album", "an item goes into its album, and the album is listed", needs: [.albums]) { place in
            let albums = try await place.albumFacet()
            for (index, album) in ["Summer", "Journeys/Hafen – 港", "a b+c"].enumerated() {
                let bytes = try await place.bytes(count: 100, seed: UInt64(index + 1))
                _ = try await place.submit(bytes, as: "contract-\(index)", album: album)
                let listed = try await albums.list()
                try expect(listed.contains(album), "the album “\(album)” should be listed, and these are: \(listed)")
            }
            let contents = try await place.contents()
            try expect(
                contents.count == 3,
                "three items in three albums should be three copies, and there are \(contents.count): \(KnownBytes.names(of: contents))"
            )
        },
        ContractCase("album-many-openers", "one album results from many openers", needs: [.albums]) { place in
            let before = Set(try await place.albumFacet().list())
            // Two processes, each with as many as it may have on their way.
            let openers = min(50, max(8, 2 * (try await place.makeSubmitter().capabilities.ordering.width)))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<openers {
                    group.addTask {
                        let bytes = try await place.bytes(count: 10, seed: UInt64(index + 1))
                        let record = ObservedAttempt()
                        try await asOftenAsTheEngine { _ in
                            if index % 2 == 0 { try await place.albumFacet().create("New/Album") }
                        }
                        try await asOftenAsTheEngine { attempt in
                            _ = try await place.makeSubmitter().submit(
                                bytes.item(named: "photo \(index).jpg"), bytes: bytes,
                                context: record.context(
                                    "contract-\(index)", attempt: attempt, album: "New/Album", from: record.checkpoint))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let albums = try await place.albumFacet().list().filter { !before.contains($0) && $0 != "New" }
            try expect(albums == ["New/Album"], "the one new album should be New/Album, and there are \(albums)")
            let contents = try await place.contents()
            try expect(
                contents.count == openers,
                "\(openers) items in one album should be as many copies, and there are \(contents.count): \(KnownBytes.names(of: contents))"
            )
        },
    ]
}

/// Does what a server may break off that many ask at once: the engine tries that again, so that it is no broken promise.
private func asOftenAsTheEngine(_ body: (Int) async throws -> Void) async throws {
    for attempt in 1... {
        do {
            return try await body(attempt)
        } catch let failure as SubmitFailure {
            switch failure.remedy {
            case .retry where attempt < 4, .tryAnother where attempt < 4: continue
            default: throw failure
            }
        }
    }
}

extension ContractPlace {
    fileprivate func albumFacet() async throws -> any AlbumFacet {
        guard let albums = try await makeSubmitter().facets.albums else {
            throw NotTried(lacking: .albums, "it has no albums")
        }
        return albums
    }
}

internal import Submit

extension ContractSuite {
    static let albums: [ContractCase] = [
        ContractCase("an item goes into its album, and the album is listed") { place in
            guard let albums = try place.makeSubmitter().facets.albums else { return }
            for (index, album) in ["Summer", "Journeys/Hafen – 港", "a b+c"].enumerated() {
                let bytes = ScriptedBytes(ScriptedBytes.content(count: 100, seed: UInt64(index + 1)))
                let receipt = try await place.submit(bytes, as: "contract-\(index)", album: album)
                try expect(!receipt.remoteID.isEmpty, "the receipt has no remote id")
                let listed = try await albums.list()
                try expect(listed.contains(album), "the album “\(album)” is not listed: \(listed)")
            }
            let contents = try await place.contents()
            try expect(contents.count == 3, "three items in three albums are \(contents.count)")
        },
        ContractCase("one album results from fifty openers") { place in
            guard place.hasAlbums else { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<50 {
                    group.addTask {
                        let bytes = ScriptedBytes(ScriptedBytes.content(count: 10, seed: UInt64(index + 1)))
                        if index % 2 == 0 { try await place.makeSubmitter().facets.albums?.create("New/Album") }
                        _ = try await place.submit(
                            bytes, named: "photo \(index).jpg", as: "contract-\(index)", album: "New/Album")
                    }
                }
                try await group.waitForAll()
            }
            let albums = try await place.makeSubmitter().facets.albums?.list() ?? []
            try expect(albums.filter { $0 == "New/Album" }.count == 1, "the albums are \(albums)")
            let contents = try await place.contents()
            try expect(contents.count == 50, "fifty items in one album are \(contents.count)")
        },
    ]
}

extension ContractPlace {
    fileprivate var hasAlbums: Bool {
        (try? makeSubmitter().capabilities.albums) ?? false
    }
}

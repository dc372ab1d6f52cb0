import Submit
import SubmitCatalogue
import SubmitStore
import TestServers
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The catalogue, whatever is done,` {
    @Test(arguments: StoreMaker.all, 0..<8)
    func `holds what a model of it holds`(maker: StoreMaker, world: UInt64) async throws {
        let seed = UInt64.random(in: 0..<1_000_000) &* 8 &+ world
        let place = maker.place()
        let store = try place.open()
        var model = CatalogueModel(numbers: SeededNumbers(seed: seed))
        for step in 0..<60 {
            try await model.step(store)
            guard step % 10 == 9 else { continue }
            let pictures = try await store.pictures(try CatalogueQuery(order: [.newest])).pictures
            #expect(pictures.map(PictureAsModelled.init) == model.feed, "seed \(seed), step \(step)")
            #expect(try await store.catalogueFlaws() == [], "seed \(seed), step \(step)")
        }
        try await store.rebuildCatalogue()
        while try await store.catchUp() {}
        let pictures = try await store.pictures(try CatalogueQuery(order: [.newest])).pictures
        #expect(pictures.map(PictureAsModelled.init) == model.feed, "seed \(seed), rebuilt")
        for picture in pictures {
            #expect(
                try await store.revisions(of: picture.id).map(\.number) == Array((1...picture.edits(model)).dropFirst())
            )
        }
    }
}

/// What the model knows of a picture.
private struct PictureAsModelled: Equatable {
    var digest: UInt8
    var caption: String?
    var title: String?
    var tags: [String]
    var albums: [String]
    var owner: String
    var copies: [String]

    init(_ picture: CataloguePicture) {
        (digest, caption, title) = (picture.digest[0], picture.caption, picture.title)
        (tags, albums, owner) = (picture.tags, picture.albums, picture.owner)
        copies = picture.copies.map(\.destination)
    }

    init(_ item: NewItem, _ owner: String) {
        digest = item.item.digests[.sha256]![0]
        (caption, title, tags, albums, copies) = (item.item.caption, nil, [], [], [])
        self.owner = owner
        add(item)
    }

    mutating func add(_ item: NewItem, isEdited: Bool = false) {
        if !isEdited { caption = caption ?? item.item.caption }
        tags += item.item.tags.filter { !tags.contains($0) }
        albums += item.submissions.prefix(1).compactMap(\.album).filter { !albums.contains($0) }
    }
}

extension CataloguePicture {
    fileprivate func edits(_ model: CatalogueModel) -> Int { 1 + (model.edits[digest[0]] ?? 0) }
}

/// What should be in a catalogue, kept as simply as can be.
private struct CatalogueModel {
    var numbers: SeededNumbers
    /// Those that are published, with the item by which their place in the feed goes.
    private var pictures: [(first: Int, picture: PictureAsModelled)] = []
    private var gone: [UInt8: [Int]] = [:]
    /// What was accepted, by its number; copies in the order of submissions.
    private var items: [NewItem] = []
    private var published: [UInt8: [Int]] = [:]
    private var copies: [(submission: Int64, digest: UInt8, destination: String)] = []
    private(set) var edits: [UInt8: Int] = [:]
    private var owner = "first"

    init(numbers: SeededNumbers) { self.numbers = numbers }

    var feed: [PictureAsModelled] {
        pictures.sorted { $0.first > $1.first }.map { _, picture in
            var picture = picture
            picture.copies = copies.filter { $0.digest == picture.digest }.sorted { $0.submission < $1.submission }
                .map(\.destination)
            return picture
        }
    }

    private mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &numbers) < part }

    private mutating func some(_ names: [String]) -> [String] {
        names.shuffled(using: &numbers).filter { _ in chance(0.3) }
    }

    mutating func step(_ store: any Store) async throws {
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0..<3: try await accept(store)
        case 3..<6: try await settle(store)
        case 6, 7: try await describe(store)
        case 8:
            if chance(0.5) {
                owner = chance(0.5) ? "other" : "first"
                store.owner = owner
            } else {
                _ = try await store.catchUp()
            }
        default: try await forget(store)
        }
    }

    private mutating func accept(_ store: any Store) async throws {
        let new = (0..<3).map { _ in
            NewItem.published(
                UInt8.random(in: 1...6, using: &numbers), caption: chance(0.5) ? "c\(items.count)" : nil,
                tags: some(["x", "y", "é"]), album: chance(0.3) ? "A\(items.count % 3)" : nil, to: ["a", "b"])
        }
        try await store.accept(new)
        items += new
        if items.count == 3 { store.owner = owner }
    }

    private mutating func settle(_ store: any Store) async throws {
        let worker = try await store.makeWorker()
        for claim in try await worker.take(chance(0.5) ? "a" : "b", limit: 3) {
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: try await store.settle(claim, .failed(.scripted))
            case 1:
                let other = Receipt(remoteID: "x", evidence: .unknown, wasThere: true, note: "Another one.")
                try await store.settle(claim, .done(other))
            default:
                try await store.settle(claim, .done(.stored("\(claim.id)")))
                publish(claim)
            }
        }
    }

    private mutating func publish(_ claim: ClaimedSubmission) {
        let number = Int(claim.itemID.rawValue) - 1
        let (item, digest) = (items[number], claim.item.digests[.sha256]![0])
        copies.append((claim.id.rawValue, digest, claim.destination))
        if published[digest, default: []].contains(number) { return }
        published[digest, default: []].append(number)
        if gone[digest] != nil { return }
        if let index = pictures.firstIndex(where: { $0.picture.digest == digest }) {
            pictures[index].picture.add(item, isEdited: edits[digest] != nil)
        } else {
            pictures.append((number, PictureAsModelled(item, owner)))
        }
    }

    private mutating func describe(_ store: any Store) async throws {
        guard let index = pictures.indices.randomElement(using: &numbers) else { return }
        var change = PictureChange()
        if chance(0.3) {
            change.title = chance(0.5) ? .removed : .replaced("t\(Int.random(in: 0..<3, using: &numbers))")
        }
        if chance(0.3) { change.tags.added = some(["x", "z"]) }
        if chance(0.3) { change.tags.removed = some(["x", "y"]) }
        if chance(0.2) { change.albums.replaced = some(["B", "A1"]) }
        let before = pictures[index].picture
        var after = before
        switch change.title {
        case .asItIs: break
        case .removed: after.title = nil
        case .replaced(let text): after.title = text
        }
        after.tags += change.tags.added.filter { !after.tags.contains($0) }
        after.tags.removeAll(where: change.tags.removed.contains)
        if let replaced = change.albums.replaced { after.albums = replaced }
        if before != after { edits[before.digest, default: 0] += 1 }
        pictures[index].picture = after
        _ = try await store.describe([Int64(pictures[index].first) + 1], change, by: "somebody")
    }

    private mutating func forget(_ store: any Store) async throws {
        if let digest = gone.keys.sorted().randomElement(using: &numbers), chance(0.5) {
            gone[digest] = nil
            // In the order of acceptance.
            for number in (published[digest] ?? []).sorted() {
                if let index = pictures.firstIndex(where: { $0.picture.digest == digest }) {
                    pictures[index].picture.add(items[number], isEdited: edits[digest] != nil)
                } else {
                    pictures.append((number, PictureAsModelled(items[number], owner)))
                }
            }
            _ = try await store.recall([Array(repeating: digest, count: 32)])
        } else if let index = pictures.indices.randomElement(using: &numbers) {
            let (first, picture) = pictures.remove(at: index)
            gone[picture.digest] = []
            edits[picture.digest] = nil
            _ = try await store.forget([Int64(first) + 1])
        }
    }
}

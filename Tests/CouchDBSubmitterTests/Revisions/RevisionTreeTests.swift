import Submit
import SubmitDigest
import TestServers
import Testing

@testable import CouchDBSubmitter

@Suite struct `Revision trees` {
    @Test(arguments: CouchPeer.Kind.there)
    func `three hundred at random have the winner that the server has`(_ kind: CouchPeer.Kind) async throws {
        let peer = try await CouchPeer.peer(kind)
        var numbers = SeededNumbers(seed: 300)
        var trees: [String: RevisionTree] = [:]
        for number in 0..<300 {
            let id = "picture:\(number)"
            var tree = RevisionTree()
            var paths: [[String]] = []
            var parents: [String: String] = [:]
            for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                // From the beginning, or from any revision on.
                let known = paths.randomElement(using: &numbers) ?? []
                var path = Array(known.suffix(Int.random(in: 0...known.count, using: &numbers)))
                for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                    // Few digits: texts are near one another. A revision follows from its parent, and has no other.
                    let parent = path.first ?? ""
                    var revision = ""
                    repeat {
                        let digest = String(Int.random(in: 0..<60, using: &numbers), radix: 16)
                        revision = "\(path.count + 1)-\(String(repeating: "0", count: 32 - digest.count))\(digest)"
                    } while parents[revision] ?? parent != parent
                    parents[revision] = parent
                    path.insert(revision, at: 0)
                }
                let isDeleted = Int.random(in: 0..<3, using: &numbers) == 0
                paths.append(path)
                try await peer.merge(id, path, isDeleted: isDeleted)
                tree.merge(path.map { Revision($0)! }, isDeleted: isDeleted)
            }
            trees[id] = tree
        }
        let winners = try await peer.winners(Array(trees.keys))
        var conflicts = 0
        for (id, tree) in trees {
            let winner = try #require(tree.winner)
            #expect(winner.revision.description == winners[id]?.revision, "\(id)")
            #expect(winner.isDeleted == winners[id]?.isDeleted, "\(id)")
            if !tree.conflicts.isEmpty { conflicts += 1 }
        }
        #expect(conflicts > 50)
        await peer.remove()
    }

    @Test func `what is there wins over what is deleted, then the longest history, then the greatest text`() throws {
        var tree = RevisionTree()
        tree.merge([Revision("2-b")!, Revision("1-a")!], isDeleted: false)
        tree.merge([Revision("2-c")!, Revision("1-a")!], isDeleted: false)
        #expect(tree.winner?.revision == Revision("2-c"))
        #expect(tree.conflicts == [Revision("2-b")!])
        tree.merge([Revision("3-a")!, Revision("2-b")!], isDeleted: false)
        #expect(tree.winner?.revision == Revision("3-a"))
        tree.merge([Revision("9-f")!], isDeleted: true)
        #expect(tree.winner?.revision == Revision("3-a"))
        #expect(tree.path(to: Revision("3-a")!).map(\.description) == ["3-a", "2-b", "1-a"])
        let isNew = tree.merge([Revision("3-a")!, Revision("2-c")!], isDeleted: true)
        #expect(!isNew)
        #expect(tree.leaves.count == 3)
    }

    @Test(arguments: ["", "-", "1-", "-a", "0-a", "x-a", "1"])
    func `what is no revision is none`(_ text: String) {
        #expect(Revision(text) == nil)
    }

    @Test func `a revision follows from what it follows and holds`() {
        let first = CatalogueDocument(id: "picture:1", body: "{}")
        #expect(first.revisions == CatalogueDocument(id: "album:x", body: "{}").revisions)
        #expect(first.following(body: "{}").revisions[0].hasPrefix("2-"))
        #expect(first.following(body: "{}").revisions != first.following(body: "{}", isGone: true).revisions)
        #expect(first.revisions[0].wholeMatch(of: /1-[0-9a-f]{32}/) != nil)
    }

    @Test func `what stands there is found in our chain in either form, and nothing else is`() throws {
        let document = CatalogueDocument(id: "a", body: "{}").following(body: "{\"a\":1}").following(body: "{\"a\":2}")
        let chain = try #require(RevisionChain(document))
        for (index, revision) in document.revisions.enumerated() {
            #expect(chain.place(of: revision) == .init(form: .plain, index: index))
        }
        #expect(chain.place(of: chain.head(.attached)) == .init(form: .attached, index: 0))
        for other in ["3-x", "1-0", "9-a", "", "4-" + document.revisions[0].dropFirst(2)] {
            #expect(chain.place(of: other) == nil)
        }
        #expect(chain.path(.plain, after: nil) == document.revisions)
        #expect(chain.path(.plain, after: .init(form: .plain, index: 1)) == Array(document.revisions.prefix(2)))
        #expect(chain.path(.attached, after: nil) == [chain.head(.attached)] + document.revisions)
        let joined = chain.path(.attached, after: .init(form: .attached, index: 2))
        #expect(joined.count == 3 && joined[0] == chain.head(.attached))
        #expect(joined.map { Revision($0)!.generation } == [4, 3, 2])
    }
}

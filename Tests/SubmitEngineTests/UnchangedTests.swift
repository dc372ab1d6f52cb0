import Foundation
import Submit
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@Suite struct UnchangedTests {
    /// Two photos that are done at both places.
    private func sent(_ shop: Workshop, _ names: [String] = ["one.jpg", "two.jpg"]) async throws {
        for name in names { try shop.photo(name) }
        try await shop.run(try await again(shop).batch)
    }

    private func again(
        _ shop: Workshop, to names: [String] = ["a", "b"], _ change: (inout SubmitRequest) -> Void = { _ in }
    ) async throws -> Acceptance {
        var request = SubmitRequest(
            paths: [shop.folder.appending("photos")], destinations: names, skipsUnchanged: true)
        change(&request)
        return try await shop.manager.accept(request)
    }

    private func count(_ shop: Workshop) async throws -> Int {
        try await shop.journal.submissions(SubmissionSelection()).count
    }

    @Test func `what was sent and has not changed is not accepted again, and leaves no batch`() async throws {
        let shop = try Workshop()
        try await sent(shop)
        let second = try await again(shop)
        #expect(second.accepted == 0 && second.unchanged.files == 2)
        #expect(second.unchanged.lines.map { "\($0.destination) \($0.done) \($0.doneSize)" } == ["a 2 600", "b 2 600"])
        #expect(try await count(shop) == 4)
        #expect(try await shop.journal.batches().count == 1)
    }

    @Test func `only what is new goes out, and only to whom it did not`() async throws {
        let shop = try Workshop()
        try shop.photo("one.jpg")
        try await shop.run(try await again(shop, to: ["a"]).batch)
        try shop.photo("two.jpg")
        let second = try await again(shop)
        #expect(second.accepted == 2 && second.unchanged.files == 0)
        try await shop.run(second.batch)
        let records = try await shop.journal.submissions(SubmissionSelection(batch: second.batch))
        #expect(records.map { "\($0.item.name) \($0.destination)" } == ["one.jpg b", "two.jpg a", "two.jpg b"])
    }

    @Test func `the same bytes under other marks are read, known again, and not read the next time`() async throws {
        let shop = try Workshop()
        try await sent(shop)
        let path = shop.folder.appending("photos/one.jpg")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: path.string)
        let before = try await shop.journal.submissions(ofSource: path, limit: 1)[0].identity
        let second = try await again(shop)
        #expect(second.accepted == 0 && second.unchanged.files == 2)
        let after = try await shop.journal.submissions(ofSource: path, limit: 1)[0].identity
        #expect(after.modified != before.modified && after.changed != before.changed)
        let third = try await again(shop)
        let count = try await count(shop)
        #expect(third.unchanged.files == 2 && count == 4)
    }

    @Test func `a rewrite of the same size whose time was set back is sent`() async throws {
        let shop = try Workshop()
        try await sent(shop)
        let path = shop.folder.appending("photos/one.jpg")
        try Self.rewrite(path)
        let second = try await again(shop)
        #expect(second.accepted == 1 && second.unchanged.files == 1)
    }

    @Test func `a rewrite after the acceptance whose time was set back is not sent in its place`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let path = try shop.photo("one.jpg")
        let batch = try await shop.accept([path])
        try Self.rewrite(path)
        try await shop.run(batch)
        #expect(try await shop.record(batch, at: "a", named: "one.jpg").code == "source-changed")
        #expect(shop["a"].contents.isEmpty)
    }

    /// Other bytes, of the same number, in the same file, and the time it had.
    private static func rewrite(_ path: FilePath) throws {
        let url = URL(fileURLWithPath: path.string)
        let time = try FileManager.default.attributesOfItem(atPath: path.string)[.modificationDate] as? Date
        let handle = try FileDescriptor.open(path, .writeOnly)
        try handle.writeAll(toAbsoluteOffset: 100, [1, 2, 3, 4])
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: time ?? Date()], ofItemAtPath: url.path)
    }

    @Test func `what waits already is not accepted a second time, and is told`() async throws {
        let shop = try Workshop()
        try shop.photo("one.jpg")
        _ = try await again(shop)
        let second = try await again(shop)
        #expect(
            second.accepted == 0 && second.unchanged.waitingSubmissions.count == 2
                && second.unchanged.waitingBatches == [1] && second.unchanged.files == 1)
        #expect(try await count(shop) == 2)
    }

    @Test func `what failed, was skipped or cancelled is tried again`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        try shop.photo("one.jpg")
        let first = try await again(shop, to: ["a"])
        _ = try await shop.manager.cancel(SubmissionSelection(batch: first.batch))
        shop["a"].script = { _, _, _ in .failure(SubmitFailure(.giveUp, code: "test", message: "No.")) }
        let second = try await again(shop, to: ["a"])
        #expect(second.accepted == 1)
        try await shop.run(second.batch)
        shop["a"].script = nil
        shop["a"].put([1, 2, 3], as: "one.jpg")
        let third = try await again(shop, to: ["a"]) { $0.onConflict = .skip }
        #expect(third.accepted == 1)
        try await shop.run(third.batch)
        #expect(try await shop.record(third.batch, at: "a", named: "one.jpg").receipt?.isOfSkipped == true)
        #expect(try await again(shop, to: ["a"]).accepted == 1)
    }

    @Test func `bytes that were replaced by others since, under the same name, are sent when they come back`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let path = try shop.photo("one.jpg")
        let first = try Data(contentsOf: URL(fileURLWithPath: path.string))
        for bytes in [first, Data(Workshop.jpeg(300, seed: 77)), first] {
            try bytes.write(to: URL(fileURLWithPath: path.string))
            let acceptance = try await again(shop, to: ["a"]) { $0.onConflict = .overwrite }
            #expect(acceptance.accepted == 1)
            try await shop.run(acceptance.batch)
            #expect(shop["a"].contents["one.jpg"].map { Data($0) } == bytes)
        }
        #expect(try await again(shop, to: ["a"]).unchanged.files == 1)
    }

    @Test func `what lies in another place of its destination is sent again, wherever it was accepted for`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        func add(_ settings: [String: String]) {
            let place = shop["a"]
            shop.manager.add(
                Destination(
                    name: "a", type: InMemorySubmitter.submitterType(), submitter: InMemorySubmitter(place),
                    settings: DestinationSettings(destination: "a", values: settings)))
        }
        try shop.photo("one.jpg")
        add(["path": "first"])
        let first = try await again(shop, to: ["a"])
        add(["path": "second"])
        try await shop.run(first.batch)
        add(["path": "first"])
        #expect(try await again(shop, to: ["a"]).accepted == 1, "it lies in the second place")
        add(["path": "second"])
        #expect(try await again(shop, to: ["a"]).accepted == 0)
    }

    @Test func `what was sent before its destination moved is sent to its new place`() async throws {
        let shop = try Workshop()
        try await sent(shop)
        try await shop.journal.forgetPlaces(at: "a")
        let second = try await again(shop)
        #expect(second.accepted == 2 && second.unchanged.lines.map(\.destination) == ["b"])
        try await shop.run(second.batch)
        #expect(try await again(shop).accepted == 0)
    }

    @Test func `other bytes under the marks that were accepted are found by who does not trust those`() async throws {
        let shop = try Workshop()
        try await sent(shop, ["one.jpg"])
        let path = shop.folder.appending("photos/one.jpg")
        try Self.rewrite(path)
        let item = try await shop.journal.submissions(ofSource: path, limit: 1)[0].itemID
        guard case .file(_, let marks, _)? = FileWalk([path]).makeIterator().first(where: { _ in true }) else {
            Issue.record("it is there")
            return
        }
        // As on a file system that has no time of a change but the one that anybody can set.
        try await shop.journal.reidentify([item: marks])
        #expect(try await again(shop).accepted == 0)
        #expect(try await again(shop) { $0.trustsMarks = false }.accepted == 1)
    }

    @Test func `what two processes accept at the same moment is accepted once`() async throws {
        let shop = try Workshop()
        for number in 0..<30 { try shop.photo("\(number).jpg") }
        let managers = [shop.manager] + (try (0..<3).map { _ in try shop.otherManager() })
        let request = SubmitRequest(
            paths: [shop.folder.appending("photos")], destinations: ["a", "b"], skipsUnchanged: true)
        try await withThrowingTaskGroup { group in
            for manager in managers { group.addTask { try await manager.accept(request) } }
            for try await acceptance in group {
                #expect(acceptance.accepted + acceptance.unchanged.files == 30, "each is accounted for")
            }
        }
        #expect(try await count(shop) == 60)
    }

    @Test func `a preview of what is known by its bytes alone writes nothing down`() async throws {
        let shop = try Workshop()
        try await sent(shop, ["one.jpg"])
        let path = shop.folder.appending("photos/one.jpg")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: path.string)
        let before = try await shop.journal.submissions(ofSource: path, limit: 1)[0].identity
        let request = SubmitRequest(paths: [path], destinations: ["a", "b"], skipsUnchanged: true)
        try await shop.manager.preview(request) { preview in
            guard case .unchanged = preview else {
                Issue.record("\(preview)")
                return
            }
        }
        #expect(try await shop.journal.submissions(ofSource: path, limit: 1)[0].identity == before)
    }

    @Test func `a batch that got nothing, and is forgotten, takes what comes for it later`() async throws {
        let shop = try Workshop()
        let empty = try await again(shop)
        try shop.photo("one.jpg")
        let path = shop.folder.appending("photos")
        let more = try await shop.manager.accept(
            SubmitRequest(paths: [path], destinations: ["a"]), into: empty.batch)
        #expect(more.batch == empty.batch)
        #expect(try await shop.journal.batches().map(\.id) == [empty.batch])
    }

    @Test(arguments: ["caption", "tags", "album", "readback", "reread", "removal"])
    func `what is asked for otherwise is accepted again`(_ what: String) async throws {
        let shop = try Workshop()
        shop["a"].proves = .size
        try await sent(shop, ["one.jpg"])
        let second = try await again(shop, to: ["a"]) { request in
            switch what {
            case "caption": request.caption = "A sunset"
            case "tags": request.tags = ["sun"]
            case "album": request.album = "2026"
            case "readback": request.verification = .readback
            case "removal": request.removal = SourceRemoval(copies: 1, manner: .trash)
            default: request.skipsUnchanged = false
            }
        }
        #expect(second.accepted == 1 && second.unchanged.files == 0, "\(second)")
    }
}

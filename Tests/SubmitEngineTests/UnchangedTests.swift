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
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: path.string)
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
        #expect(second.accepted == 0 && second.unchanged.waitingSubmissions.count == 2 && second.unchanged.waitingBatches == [1] && second.unchanged.files == 1)
        #expect(try await count(shop) == 2)
    }

    @Test func `what failed, was skipped or cancelled is tried again`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        try shop.photo("one.jpg")
        let first = try await again(shop, to: ["a"])
        _ = try await shop.manager.cancel(SubmissionSelection(batch: first.batch))
        #expect(try await again(shop, to: ["a"]).accepted == 1)
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

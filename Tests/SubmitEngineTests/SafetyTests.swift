import Foundation
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

@Suite struct SafetyTests {
    private func request(_ shop: Workshop, to names: [String] = ["a", "b"]) -> SubmitRequest {
        SubmitRequest(paths: [shop.folder.appending("photos")], destinations: names, skipsUnchanged: true)
    }

    private func sent(_ shop: Workshop, _ names: [String] = ["one.jpg", "two.jpg"]) async throws {
        for name in names { try shop.photo(name) }
        try await shop.run(try await shop.manager.accept(request(shop)).batch)
    }

    private func safety(
        _ shop: Workshop, to names: [String] = ["a", "b"]
    ) async throws -> (report: SafetyReport, missing: [String]) {
        let missing = Locked<[String]>([])
        let report = try await shop.manager.safety(of: request(shop, to: names)) { file in
            missing.withLock {
                $0.append("\(file.path.lastComponent?.string ?? "") \(file.destination ?? "-"): \(file.message)")
            }
        }
        return (report, missing.withLock { $0.sorted() })
    }

    @Test func `files whose copies are verified everywhere are safe, and nothing new is written down`() async throws {
        let shop = try Workshop()
        try await sent(shop)
        let (report, missing) = try await safety(shop)
        #expect(report.files == 2 && report.safe == 2 && report.safeSize == 600 && report.copies == ["a": 2, "b": 2])
        #expect(missing.isEmpty)
        #expect(try await shop.journal.submissions(SubmissionSelection()).count == 4)
    }

    @Test func `what was not sent, waits, failed, vanished or was changed is missing, and why`() async throws {
        let shop = try Workshop()
        try await sent(shop, ["gone.jpg", "other.jpg", "safe.jpg"])
        try shop.photo("failed.jpg")
        shop["a"].script = { _, item, _ in
            item.name == "failed.jpg"
                ? .failure(SubmitFailure(.giveUp, code: "test", message: "It is too blue.")) : .success(())
        }
        try await shop.run(try await shop.manager.accept(request(shop, to: ["a"])).batch)
        try shop.photo("waits.jpg")
        _ = try await shop.manager.accept(request(shop, to: ["b"]))
        try shop.photo("new.jpg")
        shop["a"].put(nil, as: "gone.jpg")
        shop["b"].put([1, 2, 3], as: "other.jpg")
        let (report, missing) = try await safety(shop)
        #expect(report.files == 6 && report.safe == 1)
        #expect(
            missing.map { String($0.prefix { $0 != "(" }) } == [
                "failed.jpg a: It is too blue.",
                "failed.jpg b: It is waiting to be sent.",
                "gone.jpg a: Its copy there has vanished.",
                "new.jpg a: It was not sent: it came after what was.",
                "new.jpg b: It was not sent: it came after what was.",
                "other.jpg b: Its copy there was changed ",
                "waits.jpg a: It was not sent: it came after what was.",
                "waits.jpg b: It is waiting to be sent.",
            ])
    }

    @Test func `a copy that is proven by less is read back, and is proven from then on`() async throws {
        let shop = try Workshop()
        shop["a"].proves = .size
        try await sent(shop, ["one.jpg"])
        let batch = try await shop.journal.batches()[0].id
        #expect(try await shop.record(batch, at: "a", named: "one.jpg").receipt?.evidence == .size)
        #expect(try await safety(shop).report.safe == 1)
        #expect(try await shop.record(batch, at: "a", named: "one.jpg").receipt?.evidence == .verified)
        #expect(
            try await shop.manager.proofs(at: ["a"]).first?.proof == .readBack(nil),
            "that it was read back is no proof of the destination's own")
    }

    @Test func `what was read back once is read back again, as other bytes of its size may be there now`() async throws
    {
        let shop = try Workshop()
        shop["a"].proves = .size
        try await sent(shop, ["one.jpg"])
        #expect(try await safety(shop).report.safe == 1)
        shop["a"].put(Array(repeating: 7, count: 300), as: "one.jpg")
        let (report, missing) = try await safety(shop)
        #expect(report.safe == 0 && missing.count == 1, "\(missing)")
    }

    @Test func `a file that something else waits for, or failed with, is not safe`() async throws {
        let shop = try Workshop()
        try await sent(shop, ["one.jpg"])
        _ = try await shop.manager.accept(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["b"], album: "2026"))
        let (report, missing) = try await safety(shop)
        #expect(report.safe == 0)
        #expect(missing == ["one.jpg -: It is needed yet: it is still waiting for b."])
    }

    @Test func `a copy that cannot be read back and is only accepted never counts`() async throws {
        var facts = InMemorySubmitter.capabilities
        facts.canReadBack = false
        let shop = try Workshop(["a": facts, "b": InMemorySubmitter.capabilities])
        shop["a"].proves = .accepted
        try await sent(shop, ["one.jpg"])
        let (report, missing) = try await safety(shop)
        #expect(report.safe == 0 && report.copies == ["b": 1])
        #expect(missing == ["one.jpg a: Its copy there is proven by “accepted” only."])
        let proofs = try await shop.manager.proofs(at: ["a", "b"])
        guard case .never? = proofs.first?.proof else {
            Issue.record("\(proofs)")
            return
        }
        #expect(proofs.last?.proof == .verified)
    }

    @Test func `what is safe is deleted, with what was sent in several batches, and what changed stays`() async throws {
        let shop = try Workshop()
        for name in ["one.jpg", "two.jpg", "three.jpg"] { try shop.photo(name) }
        try await shop.run(try await shop.manager.accept(request(shop, to: ["a"])).batch)
        try await shop.run(try await shop.manager.accept(request(shop, to: ["b"])).batch)
        let report = try await safety(shop).report
        #expect(report.safe == 3)
        try Data(Workshop.jpeg(300, seed: 99)).write(
            to: URL(fileURLWithPath: shop.folder.appending("photos/three.jpg").string))
        try await shop.manager.removeSafeSources(of: report, at: ["a", "b"])
        let left = try FileManager.default.contentsOfDirectory(atPath: shop.folder.appending("photos").string)
        #expect(left == ["three.jpg"])
        let tally = try await shop.journal.removals(of: [1, 2])
        #expect(tally.removed == 2 && tally.kept == 1)
    }

    @Test func `a copy that was lost since they were called safe keeps its file, now and in any later run`()
        async throws
    {
        let shop = try Workshop()
        try await sent(shop)
        let report = try await safety(shop).report
        #expect(report.isSafe)
        let bytes = shop["b"].contents["one.jpg"]
        shop["b"].put(nil, as: "one.jpg")
        try await shop.manager.removeSafeSources(of: report, at: ["a", "b"])
        #expect(!shop.exists(shop.folder.appending("photos/two.jpg")))
        shop["b"].put(bytes, as: "one.jpg")
        try await shop.manager.removeSources()
        #expect(shop.exists(shop.folder.appending("photos/one.jpg")), "nobody has looked at all of it again")
    }

    @Test func `a file that was put back is deleted by no later run either`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        shop["a"].proves = .size
        try shop.photo("one.jpg")
        try await shop.run(try await shop.manager.accept(request(shop, to: ["a"])).batch)
        let report = try await safety(shop, to: ["a"]).report
        #expect(report.isSafe)
        let bytes = shop["a"].contents["one.jpg"]
        let source = shop.folder.appending("photos/one.jpg")
        // What has its name while the source is away is not the copy.
        try await shop.journal.want(SourceRemoval(copies: 1, manner: .delete), of: report.items)
        try await shop.manager.removeSources(of: nil, unusable: [:], environment: [:]) { step in
            if step == .putAside {
                shop["a"].outage = SubmitFailure(.retry(after: nil), code: "test", message: "It is away.")
            }
            return false
        }
        shop["a"].outage = nil
        shop["a"].put(nil, as: "one.jpg")
        try await shop.manager.removeSafeSources(of: report, at: ["a"])
        shop["a"].put(bytes, as: "one.jpg")
        try await shop.manager.removeSources()
        #expect(shop.exists(source))
    }

    @Test func `two destinations that are one place hold one copy`() async throws {
        let shop = try Workshop()
        let place = shop["a"]
        shop.manager.add(
            Destination(
                name: "b", type: InMemorySubmitter.submitterType(), submitter: InMemorySubmitter(place),
                settings: DestinationSettings(destination: "b")))
        try shop.photo("one.jpg")
        for name in ["a", "b"] { try await shop.run(try await shop.manager.accept(request(shop, to: [name])).batch) }
        let (report, missing) = try await safety(shop)
        #expect(report.copies == ["a": 1, "b": 1] && !report.isSafe)
        #expect(missing.count == 1 && missing[0].contains("are one place"), "\(missing)")
    }

    @Test func `a source is removed by copies that other batches sent, where they are the same bytes`() async throws {
        let shop = try Workshop()
        let path = try shop.photo("one.jpg")
        try await shop.run(try await shop.manager.accept(request(shop, to: ["a"])).batch)
        var second = request(shop, to: ["b"])
        second.removal = SourceRemoval(copies: 1, manner: .delete)
        let batch = try await shop.manager.accept(second).batch
        try await shop.run(batch)
        try await shop.manager.removeSources(of: [batch])
        #expect(!FileManager.default.fileExists(atPath: path.string))
    }
}

import Foundation
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

/// Photos of one name from two folders, which go to one place under the policy `overwrite`.
@Suite struct OverwriteTests {
    private let shop: Workshop

    init() throws { shop = try Workshop(["a": InMemorySubmitter.capabilities]) }

    /// Writes a photo `IMG_1.jpg` into a folder of its own.
    private func photo(in folder: String, seed: UInt64) throws -> FilePath {
        let parent = shop.folder.appending("photos").appending(folder)
        try FileManager.default.createDirectory(atPath: parent.string, withIntermediateDirectories: true)
        let path = parent.appending("IMG_1.jpg")
        try Data(Workshop.jpeg(300, seed: seed)).write(to: URL(fileURLWithPath: path.string))
        return path
    }

    @discardableResult
    private func submit(_ paths: [FilePath], to destination: String = "a") async throws -> BatchID {
        let batch = try await shop.manager.accept(
            SubmitRequest(paths: paths, destinations: [destination], onConflict: .overwrite)
        ).batch
        try await shop.run(batch)
        return batch
    }

    @Test func `overwrite replaces no copy of another photo from the same journal`() async throws {
        let (first, second, third) = (
            try photo(in: "1", seed: 1), try photo(in: "2", seed: 2), try photo(in: "3", seed: 3)
        )
        try await submit([first, second])
        try await submit([third])
        let contents = shop["a"].contents
        #expect(contents.keys.sorted() == ["IMG_1-1.jpg", "IMG_1-2.jpg", "IMG_1.jpg"])
        #expect(Set(contents.values) == Set((1...3).map { Workshop.jpeg(300, seed: $0) }))
        #expect(try await shop.audit().list.allSatisfy { $0.finding == .there(.verified) })
    }

    @Test func `overwrite keeps two photos apart that are sent at the same moment`() async throws {
        // Each is stored and not yet in the journal when the other one looks.
        let gate = Gate()
        shop["a"].script = { moment, _, _ in
            if moment == .beforeStoring || moment == .afterStoring { await gate.pass() }
            return .success(())
        }
        let paths = [try photo(in: "1", seed: 1), try photo(in: "2", seed: 2)]
        async let batch = submit(paths)
        await gate.arrivals(2)
        gate.open()
        _ = try await batch
        #expect(shop["a"].contents.keys.sorted() == ["IMG_1-1.jpg", "IMG_1.jpg"])
    }

    @Test func `overwrite replaces the earlier version of a file, and what others stored`() async throws {
        shop["a"].put([1, 2, 3], as: "IMG_1.jpg")
        try await submit([try photo(in: "1", seed: 1)])
        #expect(shop["a"].contents == ["IMG_1.jpg": Workshop.jpeg(300, seed: 1)])
        try await submit([try photo(in: "1", seed: 2)])
        #expect(shop["a"].contents == ["IMG_1.jpg": Workshop.jpeg(300, seed: 2)])
    }

    @Test func `repair gives a photo another name if a copy of another photo has its address by now`() async throws {
        let batch = try await submit([try photo(in: "1", seed: 1)])
        // As it was when one photo could replace another.
        let second = try photo(in: "2", seed: 2)
        shop["a"].put(nil, as: "IMG_1.jpg")
        try await submit([second])
        let batches = try await shop.manager.repair(AuditScope(batches: [batch]), onConflict: .overwrite) { _ in }
        for batch in batches { try await shop.run(batch) }
        #expect(
            shop["a"].contents == [
                "IMG_1.jpg": Workshop.jpeg(300, seed: 2), "IMG_1-1.jpg": Workshop.jpeg(300, seed: 1),
            ])
    }

    @Test func `repair replaces its own copy though an older photo once had the address`() async throws {
        try await submit([try photo(in: "2", seed: 2)])
        shop["a"].put(nil, as: "IMG_1.jpg")
        let batch = try await submit([try photo(in: "1", seed: 1)])
        shop["a"].put(Workshop.jpeg(300, seed: 9), as: "IMG_1.jpg")
        let batches = try await shop.manager.repair(AuditScope(batches: [batch]), onConflict: .overwrite) { _ in }
        for batch in batches { try await shop.run(batch) }
        #expect(shop["a"].contents == ["IMG_1.jpg": Workshop.jpeg(300, seed: 1)])
    }

    @Test func `repair leaves a copy alone that a photo accepted earlier got later`() async throws {
        shop["a"].put([1, 2, 3], as: "IMG_1.jpg")
        let request = SubmitRequest(paths: [try photo(in: "1", seed: 1)], destinations: ["a"], onConflict: .fail)
        let first = try await shop.manager.accept(request).batch
        try await shop.run(first)
        shop["a"].put(nil, as: "IMG_1.jpg")
        let second = try await submit([try photo(in: "2", seed: 2)])
        shop["a"].put(nil, as: "IMG_1.jpg")
        _ = try await shop.manager.retry(SubmissionSelection(batch: first))
        try await shop.run(first)
        #expect(shop["a"].contents == ["IMG_1.jpg": Workshop.jpeg(300, seed: 1)])
        let batches = try await shop.manager.repair(AuditScope(batches: [second]), onConflict: .overwrite) { _ in }
        for batch in batches { try await shop.run(batch) }
        #expect(shop["a"].contents["IMG_1.jpg"] == Workshop.jpeg(300, seed: 1))
    }

    @Test func `overwrite leaves the copy alone that a duplicate found before it was edited`() async throws {
        try await submit([try photo(in: "1", seed: 1)])
        try await submit([try photo(in: "2", seed: 1)])
        try await submit([try photo(in: "2", seed: 2)])
        #expect(
            shop["a"].contents == [
                "IMG_1.jpg": Workshop.jpeg(300, seed: 1), "IMG_1-1.jpg": Workshop.jpeg(300, seed: 2),
            ])
    }

    @Test func `overwrite replaces no copy that another destination stored in the same folder`() async throws {
        shop.manager.add(
            Destination(
                name: "second", type: InMemorySubmitter.submitterType(), submitter: InMemorySubmitter(shop["a"]),
                settings: DestinationSettings(destination: "second")))
        try await submit([try photo(in: "1", seed: 1)])
        try await submit([try photo(in: "2", seed: 2)], to: "second")
        #expect(
            shop["a"].contents == [
                "IMG_1.jpg": Workshop.jpeg(300, seed: 1), "IMG_1-1.jpg": Workshop.jpeg(300, seed: 2),
            ])
    }

    @Test func `overwrite passes over a name that another process has reserved`() async throws {
        shop["a"].put([1, 2, 3], as: "IMG_1.jpg")
        let address = shop["a"].url(of: "IMG_1.jpg")
        // Another value of the journal has locks of its own, as another process does.
        let other = try Journal(path: shop.folder.appending("journal.sqlite"))
        #expect(other.lockAddress(address) && !shop.journal.lockAddress(address))
        try await submit([try photo(in: "1", seed: 1)])
        #expect(shop["a"].contents["IMG_1.jpg"] == [1, 2, 3])
        #expect(shop["a"].contents["IMG_1-1.jpg"] == Workshop.jpeg(300, seed: 1))
        other.unlockAddress(address)
        try await submit([try photo(in: "2", seed: 2)])
        #expect(shop["a"].contents["IMG_1.jpg"] == Workshop.jpeg(300, seed: 2))
    }

    @Test func `overwrite replaces no photo whose source was removed, though another comes by its path`() async throws {
        let request = SubmitRequest(
            paths: [try photo(in: "1", seed: 1)], destinations: ["a"], onConflict: .overwrite,
            removal: SourceRemoval(copies: 1, manner: .delete))
        let batch = try await shop.manager.accept(request).batch
        try await shop.run(batch)
        try await shop.remove()
        try await submit([try photo(in: "1", seed: 2)])
        #expect(
            shop["a"].contents == [
                "IMG_1.jpg": Workshop.jpeg(300, seed: 1), "IMG_1-1.jpg": Workshop.jpeg(300, seed: 2),
            ])
    }

    @Test func `cleanup after a cancelled repair looks at the address in the receipt`() async throws {
        let batch = try await submit([try photo(in: "1", seed: 1)])
        shop["a"].put(Workshop.jpeg(300, seed: 9), as: "IMG_1.jpg")
        let repaired = try await shop.manager.repair(AuditScope(batches: [batch]), onConflict: .overwrite) { _ in }
        #expect(repaired == [batch])
        let addresses = Locked<[String?]>([])
        shop["a"].script = { moment, _, context in
            if moment == .discarding { addresses.withLock { $0.append(context.repairedAddress) } }
            return .success(())
        }
        let record = try await shop.record(batch, at: "a", named: "IMG_1.jpg")
        _ = try await shop.manager.cancel(SubmissionSelection(batch: batch))
        try await shop.manager.discard([record.id], at: "a")
        let all = addresses.withLock { $0 }
        #expect(!all.isEmpty && all.allSatisfy { $0 == "IMG_1.jpg" }, "\(all)")
    }
}

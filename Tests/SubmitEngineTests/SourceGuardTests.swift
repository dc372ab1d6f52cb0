import Foundation
import Submit
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@Suite struct SourceGuardTests {
    enum Change: CaseIterable {
        case otherBytes, shrinks, grows, vanishes

        func apply(to path: FilePath) throws {
            let url = URL(fileURLWithPath: path.string)
            let bytes = try Data(contentsOf: url)
            switch self {
            case .otherBytes: try Data(bytes.map { $0 ^ 1 }).write(to: url)
            case .shrinks: try bytes.dropLast(100).write(to: url)
            case .grows: try (bytes + [1]).write(to: url)
            case .vanishes: try FileManager.default.removeItem(at: url)
            }
        }

        var code: String { self == .vanishes ? "source-vanished" : "source-changed" }
    }

    @Test(arguments: Change.allCases)
    func `a source that changed after acceptance is not sent, and every destination is told`(_ change: Change)
        async throws
    {
        let shop = try Workshop()
        let batch = try await shop.accept([try shop.photo("one.jpg"), try shop.photo("two.jpg")])
        try change.apply(to: shop.folder.appending("photos/one.jpg"))
        try await shop.run(batch)
        for place in ["a", "b"] {
            #expect(shop[place].contents.keys.sorted() == ["two.jpg"])
            let record = try await shop.record(batch, at: place, named: "one.jpg")
            #expect(record.state == .failed)
            #expect(record.code == change.code)
            #expect(record.message?.contains("one.jpg") == true)
        }
    }

    @Test(arguments: [Change.otherBytes, .shrinks, .grows])
    func `a source that changes while it is sent leaves no copy`(_ change: Change) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let path = try shop.photo("one.jpg", bytes: 300_000)
        // In place, as a camera goes on writing: the open file is the one that changes.
        shop["a"].script = { moment, _, context in
            guard moment == .beforeSending, context.attempt == 1 else { return .success(()) }
            let file = try? FileDescriptor.open(path, .readWrite)
            switch change {
            case .otherBytes: _ = try? file?.writeAll(toAbsoluteOffset: 250_000, [1, 2, 3])
            case .shrinks: try? file?.resize(to: 200_000)
            default: try? file?.resize(to: 400_000)
            }
            try? file?.close()
            return .success(())
        }
        let batch = try await shop.accept([path])
        try await shop.run(batch)
        #expect(shop["a"].contents.isEmpty)
        let record = try await shop.record(batch, at: "a", named: "one.jpg")
        #expect(record.state == .failed)
        #expect(record.code == "source-changed")
    }

    @Test func `a source that is removed while it is sent still arrives whole, and the receipt says so`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let path = try shop.photo("one.jpg", bytes: 300_000)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path.string))
        shop["a"].script = { moment, _, _ in
            if moment == .beforeSending { try? FileManager.default.removeItem(atPath: path.string) }
            return .success(())
        }
        let batch = try await shop.accept([path])
        try await shop.run(batch)
        #expect(shop["a"].contents["one.jpg"] == Array(bytes))
        #expect(try await shop.record(batch, at: "a", named: "one.jpg").receipt?.note?.contains("removed") == true)
    }

    @Test func `a source that was only touched is sent`() async throws {
        let shop = try Workshop()
        let path = try shop.photo("one.jpg")
        let batch = try await shop.accept([path])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path.string)
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        #expect(try await shop.states(batch, at: "b") == [.done: 1])
    }
}

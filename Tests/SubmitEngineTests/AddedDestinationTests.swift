import Submit
import SubmitConcurrency
import SubmitTesting
import Testing

@testable import SubmitEngine

@Suite struct `A destination that is added in code` {
    private let settings = Locked<DestinationSettings?>(nil)

    private var type: SubmitterType {
        SubmitterType(
            name: "probe", summary: "A submitter of a test", capabilities: InMemorySubmitter.capabilities,
            settings: [SettingKey("path", .path, summary: "a folder", isRequired: true)]
        ) { [settings] (given: DestinationSettings) throws(SubmitFailure) -> any Submitter in
            settings.withLock { $0 = given }
            return InMemorySubmitter(InMemoryPlace())
        }
    }

    @Test func `knows in a later process what it found out about its place`() async throws {
        let shop = try Workshop()
        try shop.manager.registry.register(type)
        try shop.manager.addDestination("disk", type: "probe", values: ["path": "/mnt/photos"])
        let notes = try #require(settings.withLock { $0 }).notes
        await notes.write("home", [1, 2, 3])
        #expect(await (try shop.otherManager()).notes(of: "disk").read("home") == [1, 2, 3])
        #expect(try shop.manager.destination(named: "disk").type.name == "probe")
    }

    @Test func `is not added with a setting that its type does not know, and what is not known is told`() throws {
        let shop = try Workshop()
        try shop.manager.registry.register(type)
        let unknown = #expect(throws: SubmitFailure.self) { try shop.manager.addDestination("disk", type: "prob") }
        #expect(unknown?.message.contains("did you mean “probe”") == true)
        let wrong = #expect(throws: SubmitFailure.self) {
            try shop.manager.addDestination("disk", type: "probe", values: ["pat": "/mnt"])
        }
        #expect(wrong?.code == "configuration" && !shop.manager.destinations.contains { $0.name == "disk" })
    }

    @Test func `tells of what came in memory by its key`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let bytes = Workshop.jpeg(70_000, seed: 5)
        let item = SubmitItem(source: .bytes(MemoryBytes(bytes)), name: "upload.jpg", idempotencyKey: "k")
        let batch = try await shop.manager.accept(SubmitRequest(items: [item], destinations: ["a"])).batch
        #expect(try await shop.manager.submissions(ofKey: "k").map(\.state) == [.waiting])
        try await shop.run(batch)
        #expect(try await shop.manager.submissions(ofKey: "k").map(\.state) == [.done])
        #expect(Array(shop["a"].contents.values) == [bytes])
        #expect(try await shop.manager.submissions(ofKey: "other").isEmpty)
    }
}

import Submit
import SubmitJournal
import SubmitStore
import SubmitTesting
import Testing

@testable import SubmitEngine

@Suite struct `What has arrived` {
    @Test func `is gathered until it is written down, and told again in the same order`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        _ = try await shop.accept(try shop.photos(3))
        let worker = try await shop.journal.makeWorker()
        let operations = try await worker.claim("a", first: [], others: true, limit: 3, inOrder: false).map {
            SubmissionOperation($0, isProbe: false) { _ in }
        }
        let arrivals = Arrivals()
        let receipt = Receipt(remoteID: "x", evidence: .verified)
        #expect(arrivals.add(operations[0], receipt), "somebody has to write it down")
        #expect(!arrivals.add(operations[1], receipt), "somebody will")
        let group = ArrivalGroup(of: arrivals)
        #expect(group.gathered(at: 7).map(\.claim.id) == [1, 2])
        #expect(arrivals.add(operations[2], receipt), "nobody knows of that one")
        #expect(group.gathered(at: 7).map(\.claim.id) == [1, 2, 3])
        #expect(group.gathered(at: 7).allSatisfy { $0.place == 7 && $0.receipt == receipt })
    }
}

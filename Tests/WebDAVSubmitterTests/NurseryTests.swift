import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `Many small items at once` {
    private let all = (0..<60).map { ScriptedBytes(ScriptedBytes.content(count: 500 + $0, seed: UInt64($0 + 1))) }

    /// As many at once as the submitter takes.
    private func submitAll(_ submitter: WebDAVSubmitter) async throws {
        try await withThrowingTaskGroup(of: Receipt.self) { group in
            for (index, bytes) in all.enumerated() {
                if index >= submitter.capabilities.ordering.width { _ = try await group.next() }
                group.addTask { try await submitter.submit(bytes, named: "photo \(index).jpg", as: "journal-\(index)") }
            }
            for try await receipt in group { #expect(receipt.evidence == .size && !receipt.wasThere) }
        }
    }

    private func expectAll(_ server: FakeDAV) {
        let wanted = Dictionary(uniqueKeysWithValues: all.enumerated().map { ("photo \($0).jpg", $1.content) })
        #expect(Set(server.files.keys) == Set(wanted.keys))
        #expect(server.files == wanted, "some hold other bytes")
        #expect(server.names.allSatisfy { $0.hasPrefix("photo") }, "\(server.names)")
    }

    @Test func `are looked at together, and leave nothing beside them`() async throws {
        let server = FakeDAV([.ignoresConditions])
        let submitter = try server.submitter()
        _ = try await submitter.check()
        let before = server.log.count
        try await submitAll(submitter)
        expectAll(server)
        let log = server.log.dropFirst(before)
        #expect(log.count { $0.hasPrefix("PUT ") } == all.count && log.count { $0.hasPrefix("MOVE ") } == all.count)
        let others = log.count { !$0.hasPrefix("PUT ") && !$0.hasPrefix("MOVE ") }
        #expect(others < all.count, "\(others) requests besides")
    }

    @Test func `are sent again where another process removed what they lay in`() async throws {
        let removals = Locked(0)
        let server = FakeDAV { request, state in
            // Others of the same journal are through, and remove what they think is theirs alone.
            guard request.method == "PROPFIND", request.url.hasSuffix("/.submit-journal/"),
                removals.withLock({ $0 += 1; return $0 == 2 }), var dav = state.root.children["dav"]
            else { return nil }
            dav.children[".submit-journal"] = nil
            state.root.children["dav"] = dav
            return nil
        }
        let submitter = try server.submitter()
        do {
            try await submitAll(submitter)
        } catch {
            // One was proven already and on its way to its place: the engine tries it again.
            #expect((error as? SubmitFailure)?.remedy == .retry(afterMilliseconds: nil))
            try await submitAll(submitter)
        }
        #expect(removals.withLock { $0 } >= 2)
        expectAll(server)
    }

    @Test func `that a killed process left are removed with what they lay in`() async throws {
        let server = FakeDAV()
        server.put([1, 2, 3], ".submit-journal/.submit-journal-7")
        server.put([1, 2], ".submit-journal-8")
        let submitter = try server.submitter()
        for number in [7, 8] {
            _ = try await submitter.submit(
                all[number], named: "photo \(number).jpg", as: "journal-\(number)", attempt: 2)
        }
        #expect(server.names == ["photo 7.jpg", "photo 8.jpg"])
    }

    @Test func `that had arrived when the process was killed leave nothing either`() async throws {
        let server = FakeDAV()
        server.put(all[7].content, "photo 7.jpg")
        server.put([1, 2, 3], ".submit-journal/.submit-journal-8")
        let receipt = try await server.submitter().submit(all[7], named: "photo 7.jpg", as: "journal-7", attempt: 2)
        #expect(receipt.wasThere && server.names == ["photo 7.jpg"])
    }
}

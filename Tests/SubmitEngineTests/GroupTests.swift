import Foundation
import Submit
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

@Suite struct `Groups of an acceptance` {
    /// How many files each of them has that come of so many.
    private func groups(of count: Int, bytes: Int) async throws -> [Int] {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let paths = try (0..<count).map { number in
            let path = try shop.photo("IMG_\(number).jpg")
            guard truncate(path.string, bytes) == 0 else { throw Errno(rawValue: errno) }
            return path
        }
        let acceptor = Acceptor(
            SubmitRequest(paths: paths, destinations: ["a"]), shop.manager.destinations, shop.journal,
            Spool(shop.journal))
        var groups: [Int] = []
        try await acceptor.run { (findings) async throws(SubmitFailure) in
            groups.append(findings.count)
            return true
        }
        return groups
    }

    @Test func `are small at first, so that sending begins early, and grow`() async throws {
        #expect(try await groups(of: 700, bytes: 1) == [128, 256, 316])
        #expect(try await groups(of: 12, bytes: 1 << 20) == [1, 2, 4, 5])
    }
}

import Foundation
import Submit
import SubmitConcurrency
import TestServers

/// Fake clouds that no place uses any more. The next place of that kind takes one: to begin one takes longer than most
/// cases do.
enum IdleClouds {
    private static let idle = Locked<[String: [CloudServer]]>([:])

    static func take(_ kind: String, or start: () async throws -> CloudServer) async throws -> CloudServer {
        let server = idle.withLock { $0[kind]?.popLast() }
        if let server { return server }
        return try await start()
    }

    /// A cloud on which something is left over ends.
    static func giveBack(_ server: CloudServer, _ kind: String) async {
        let left = (try? FileManager.default.contentsOfDirectory(atPath: server.uploads)) ?? [""]
        if left.isEmpty { idle.withLock { $0[kind, default: []].append(server) } } else { await server.remove() }
    }
}

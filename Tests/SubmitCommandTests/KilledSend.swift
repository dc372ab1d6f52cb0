import Foundation
import TestServers
import Testing

/// Sends one large file through a proxy, and kills `submit` at chosen moments of it, until it has arrived.
struct KilledSend {
    let submit: Submit
    let proxy: CountingProxy
    let destination: String

    /// When to kill.
    enum Moment: Sendable, Hashable {
        /// When so many bytes have passed in all.
        case at(Int64)
        /// When so many bytes have passed since `submit` was started.
        case after(Int64)
        /// When it sends a request of this method, which nobody gets.
        case before(String)
        /// When such a request was answered, and nobody has got the answer.
        case unheard(String)
    }

    /// What went by.
    struct Course {
        /// What each run sent, the last one without a kill.
        var puts: [[CountingProxy.Put]] = []
        var last: Outcome?
        var seconds = 0.0
    }

    static let name = "large.jpg"

    private var path: String { submit.folder.path(Self.name) }

    /// Makes the file, of random bytes.
    ///
    /// - Returns: its SHA-256.
    func make(_ size: Int64) async throws -> String {
        let make = "{ printf '\\377\\330\\377\\340'; head -c \"$0\" /dev/urandom; } | tee \"$1\" | sha256sum"
        return String(
            try await ChildProcess.output(of: ["/bin/sh", "-c", make, String(size - 4), path], within: 600)
                .prefix { $0 != " " })
    }

    func run(_ moments: [Moment]) async throws -> Course {
        var course = Course()
        let start = ContinuousClock.now
        for (number, moment) in (moments.map(Optional.some) + [nil]).enumerated() {
            let before = proxy.puts.count
            switch moment {
            case .at(let bytes): proxy.stop(at: bytes)
            case .after(let bytes): proxy.stop(at: proxy.bytes + bytes)
            case .before(let method): proxy.stop(before: method)
            case .unheard(let method): proxy.stop(after: method)
            case nil: break
            }
            let process = try submit.start(
                number == 0 ? ["--json", "--to", destination, path] : ["resume", "--json"])
            if let moment {
                while !proxy.isStopped, process.child.isRunning { try await Task.sleep(for: .milliseconds(5)) }
                process.child.signal(SIGKILL)
                let outcome = try await process.outcome()
                try #require(outcome.end == .killed(signal: SIGKILL), "kill \(number), \(moment): \(outcome)")
                proxy.goOn()
            } else {
                course.last = try await process.outcome(within: 900)
            }
            course.puts.append(Array(proxy.puts.dropFirst(before)))
        }
        course.seconds = (ContinuousClock.now - start) / .seconds(1)
        return course
    }
}

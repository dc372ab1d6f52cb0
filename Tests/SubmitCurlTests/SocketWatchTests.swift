import Foundation
import SubmitHTTP
import Testing

@testable import SubmitCurl

@Suite
struct SocketWatchTests {
    /// Two sockets joined together, closed at the end.
    private func withPair(_ body: (CInt, CInt) -> Void) {
        var ends: [CInt] = [-1, -1]
        precondition(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        body(ends[0], ends[1])
        ends.forEach { close($0) }
    }

    private func events(_ watch: SocketWatch) -> [String] {
        var events: [String] = []
        watch.wait(0) { event in
            events.append("\(event.socket)\(event.isReadable ? " in" : "")\(event.isWritable ? " out" : "")")
        }
        return events
    }

    @Test func `what was asked for is told, and nothing else`() throws {
        let watch = try #require(SocketWatch())
        withPair { one, other in
            #expect(watch.set(one, isReading: true, isWriting: false))
            #expect(events(watch) == [])
            _ = write(other, "a", 1)
            #expect(events(watch) == ["\(one) in"])
            #expect(watch.set(one, isReading: false, isWriting: true))
            #expect(events(watch) == ["\(one) out"])
            #expect(watch.set(one, isReading: true, isWriting: true))
            #expect(events(watch) == ["\(one) in out"])
            #expect(watch.sockets == [one])
            #expect(watch.set(one, isReading: false, isWriting: false))
            #expect(events(watch) == [])
            #expect(watch.sockets == [])
        }
    }

    @Test func `a number that is given to another socket is watched anew`() throws {
        let watch = try #require(SocketWatch())
        var number: CInt = -1
        withPair { one, _ in
            number = one
            #expect(watch.set(one, isReading: true, isWriting: false))
        }
        withPair { one, other in
            // Nobody has said that the first one is not to be watched any more.
            guard dup2(one, number) == number else { return }
            defer { if number != one { close(number) } }
            #expect(watch.set(number, isReading: true, isWriting: false))
            _ = write(other, "a", 1)
            #expect(events(watch) == ["\(number) in"])
        }
    }

    @Test func `the bell ends a wait, also one that begins later, and is no event`() throws {
        let watch = try #require(SocketWatch())
        for _ in 0..<3 {
            watch.ring()
            let start = ContinuousClock.now
            watch.wait(60_000) { _ in Issue.record("an event") }
            #expect(ContinuousClock.now - start < .seconds(50))
        }
        #expect(events(watch) == [])
    }

    @Test func `without a file left nothing can be reached, and all can when there are some again`() async {
        await #expect(processExitsWith: .success) {
            let server = LoopbackServer.answering { _ in answer(200) }
            // What the runtime opens for itself it cannot do without.
            let other = try SubmitCurlTests.transport()
            #expect(try await other.send(get(server.url)).status == 200)
            try await Task.sleep(for: .milliseconds(1))
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 64
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var taken: [CInt] = []
            while case let one = dup(2), one >= 0 { taken.append(one) }
            let transport = try CurlTransport(CurlConfiguration(userAgent: "t", proxy: ""))
            let result = await Task { try await transport.send(get(server.url)) }.result
            guard case .failure(HTTPFailure.cannotConnect(let text)) = result, text.contains("ulimit -n") else {
                fatalError("\(result)")
            }
            taken.forEach { close($0) }
            #expect(try await transport.send(get(server.url)).status == 200)
            // Its files become free only now.
            other.close()
        }
    }
}

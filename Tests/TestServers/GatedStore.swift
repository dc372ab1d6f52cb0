internal import Foundation
internal import Submit

/// An object storage in memory whose PUTs wait at a gate until the test opens it: an upload that takes as long as the
/// test needs, and not longer.
public final class GatedStore: Sendable {
    private struct State {
        var isOpen: Bool
        /// PUTs that may pass though the gate is closed.
        var passes = 0
        var waiting = 0
        var objects: [String: [UInt8]] = [:]
        var digests: [String: String] = [:]
        /// Keys in the order in which their PUTs came.
        var puts: [String] = []
    }

    private final class Gate: @unchecked Sendable {
        private let condition = NSCondition()
        private var state: State

        init(_ state: State) { self.state = state }

        func change<Result>(_ body: (inout State) -> Result) -> Result {
            condition.lock()
            defer { condition.unlock() }
            defer { condition.broadcast() }
            return body(&state)
        }

        /// Waits until `isReady`, at most for `seconds`; whether it became so.
        func wait(_ seconds: Double, until isReady: (inout State) -> Bool) -> Bool {
            let deadline = Date(timeIntervalSinceNow: seconds)
            condition.lock()
            defer { condition.unlock() }
            while !isReady(&state) {
                if !condition.wait(until: deadline) { return isReady(&state) }
            }
            condition.broadcast()
            return true
        }
    }

    private let gate: Gate
    private let server: ScriptedServer

    public var endpoint: String { server.endpoint }

    /// - Parameter isOpen: PUTs pass at once.
    public init(isOpen: Bool = false) {
        let gate = Gate(State(isOpen: isOpen))
        self.gate = gate
        server = ScriptedServer { connection in
            while let request = connection.request() {
                guard let answer = Self.answer(request, gate), connection.write(answer) else { return }
            }
        }
    }

    deinit { open() }

    private static func answer(_ request: ReceivedRequest, _ gate: Gate) -> String? {
        let key = String(request.target.prefix { $0 != "?" })
        let isBucket = key.dropFirst().firstIndex(of: "/") == nil
        switch request.method {
        case "HEAD", "GET":
            if isBucket { return ScriptedServer.answer(200) }
            let (object, digest) = gate.change { ($0.objects[key], $0.digests[key]) }
            guard let object else { return ScriptedServer.answer(404) }
            return "HTTP/1.1 200 OK\r\nContent-Length: \(object.count)\r\nx-amz-meta-sha256: \(digest ?? "")\r\n\r\n"
        case "PUT":
            gate.change {
                $0.puts.append(key)
                $0.waiting += 1
            }
            let mayPass = gate.wait(120) { state in
                if state.isOpen { return true }
                guard state.passes > 0 else { return false }
                state.passes -= 1
                return true
            }
            return gate.change { state in
                state.waiting -= 1
                guard mayPass else { return nil }
                if state.objects[key] != nil, request["If-None-Match"] == "*" { return ScriptedServer.answer(412) }
                state.objects[key] = request.body
                state.digests[key] = request["x-amz-meta-sha256"]
                return ScriptedServer.answer(200)
            }
        default:
            return ScriptedServer.answer(405)
        }
    }

    /// Lets all PUTs pass from now on.
    public func open() { gate.change { $0.isOpen = true } }

    /// Lets so many PUTs pass.
    public func pass(_ count: Int) { gate.change { $0.passes += count } }

    /// Waits until so many PUTs stand at the gate; false when they do not come in 20 seconds.
    public func waiting(_ count: Int) async -> Bool {
        await eventually { $0.waiting >= count }
    }

    /// Waits until so many objects are stored; false when they do not come in 20 seconds.
    public func stored(_ count: Int) async -> Bool {
        await eventually { $0.objects.count >= count }
    }

    private func eventually(_ isReady: @escaping @Sendable (State) -> Bool) async -> Bool {
        let gate = gate
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: gate.wait(20) { isReady($0) }) }
        }
    }

    /// How many PUTs came.
    public var puts: Int { gate.change { $0.puts.count } }

    /// Whether a PUT of this name has come, percent-encoded.
    public func holds(_ name: String) -> Bool { gate.change { $0.puts.contains { $0.hasSuffix("/\(name)") } } }

    /// What is stored, by bucket and key, percent-encoded.
    public var objects: [String: [UInt8]] { gate.change { $0.objects } }
}

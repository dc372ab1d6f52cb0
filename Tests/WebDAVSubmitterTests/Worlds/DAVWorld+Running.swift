import Foundation
import Submit
import SubmitHTTP
import SubmitTesting

@testable import WebDAVSubmitter

extension DAVWorld {
    /// What became of an item.
    private enum End: Sendable {
        case done(Receipt)
        case failed(SubmitFailure)
    }

    /// What is known of an item that is not at its end.
    private struct Owed: Sendable {
        var checkpoint: Checkpoint?
        var attempt = 0
        var end: End?
    }

    private static let mostAttempts = 20
    private static let mostProcesses = 12
    /// Requests, the finding out included.
    static let mostRequests = 3000

    /// Sends all of it as the engine would, from one process after the other where they die, and looks with the server's own
    /// eyes at what became of it.
    ///
    /// - Returns: which promises were broken; and how many requests there were.
    func run() async throws -> (complaints: [String], requests: Int) {
        let server = FakeDAV(manners)
        let sources = items.indices.map { ScriptedBytes(ScriptedBytes.content(count: items[$0].size, seed: UInt64($0 + 1))) }
        for (index, path) in theirs.enumerated() {
            server.put(ScriptedBytes.content(count: 150 + index, seed: UInt64(1000 + index)), path)
        }
        let before = server.tree
        let (notes, wire) = (PassingNotes(), WorldWire(server, troubles))
        let ledger = Locked(items.map { _ in Owed() })
        var settings: [String: String] = readsBack ? ["verify": "readback"] : [:]
        if isInParts { settings.merge(["parts_above": "1KiB", "part_size": "64KiB"]) { $1 } }
        for _ in 0..<Self.mostProcesses {
            let owed = items.indices.filter { index in ledger.withLock { $0[index].end == nil } }
            if owed.isEmpty { break }
            let process = WorldProcess(wire)
            let submitter = try server.submitter(settings, transport: ValidatingTransport(process), notes: notes)
            for group in stride(from: 0, to: owed.count, by: width).map({ owed[$0..<min($0 + width, owed.count)] }) {
                await withTaskGroup { tasks in
                    for index in group {
                        tasks.addTask { await pay(index, sources[index], to: submitter, process, ledger) }
                    }
                }
            }
        }
        return (complaints(server, before, sources, ledger.withLock { $0.map(\.end) }, wire), wire.count)
    }

    private func pay(
        _ index: Int, _ source: ScriptedBytes, to submitter: WebDAVSubmitter, _ process: WorldProcess,
        _ ledger: Locked<[Owed]>
    ) async {
        let (item, submission) = (source.item(named: items[index].name), "world-\(index)")
        while !process.isDead {
            let owed = ledger.withLock { ledger in
                ledger[index].attempt += 1
                return ledger[index]
            }
            let context = SubmissionContext(
                submission: submission, attempt: owed.attempt, onConflict: policy, checkpoint: owed.checkpoint,
                keep: { checkpoint in
                    // What a dead process writes down nobody reads.
                    if !process.isDead { ledger.withLock { $0[index].checkpoint = checkpoint } }
                    return .success(())
                })
            let end: End?
            do throws(SubmitFailure) {
                end = .done(try await submitter.submit(item, bytes: source, context: context))
            } catch {
                switch error.remedy {
                case .giveUp, .sourceLost, .outcomeUnknown, .renewCredentials, .park(.misconfigured, _), .park(.full, _):
                    end = .failed(error)
                default: end = owed.attempt >= Self.mostAttempts ? .failed(error) : nil
                }
            }
            if process.isDead { return }
            // Long before the last attempt a lock that someone lost has come to its end.
            if owed.attempt == Self.mostAttempts / 2 { process.server.change { $0.locks = [] } }
            guard let end else { continue }
            if case .failed = end {
                let last = ledger.withLock { $0[index].checkpoint }
                for _ in 0..<5 where !process.isDead {
                    do throws(SubmitFailure) {
                        try await submitter.discard(
                            item, context: SubmissionContext(submission: submission, onConflict: policy, checkpoint: last))
                        break
                    } catch {}
                }
                if process.isDead { return }
            }
            return ledger.withLock { $0[index].end = end }
        }
    }

    // MARK: The oracle

    /// Manners by which a server makes other bytes of what it was given, and says yes.
    private static let lies: Set<FakeDAV.Manner> = [.storesHalf, .storesOthers, .emptiesExpected, .keepsFragment]

    private func complaints(
        _ server: FakeDAV, _ before: [[UInt8]: [UInt8]], _ sources: [ScriptedBytes], _ ends: [End?], _ wire: WorldWire
    ) -> [String] {
        var complaints: [String] = []
        let isHonest = manners.isDisjoint(with: Self.lies)
        let files = server.tree.filter { !Self.isOfOurs(String(decoding: $0.key, as: UTF8.self)) }
        for (path, bytes) in before where files[path] != bytes {
            // What a server that lies makes of what is meant is its own affair.
            let name = String(decoding: path, as: UTF8.self)
            let isMeant = items.contains { $0.name == name }
            let now = server.content(name)
            if policy == .overwrite, isMeant, !isHonest || sources.contains(where: { $0.content == now }) { continue }
            complaints.append("what others have at \(Self.text(path)) is \(files[path] == nil ? "gone" : "another")")
        }
        for (index, end) in ends.enumerated() {
            let (name, content) = (String(reflecting: items[index].name), sources[index].content)
            let copies = files.filter { $0.value == content }.keys.map(Self.text).sorted()
            if copies.count > 1 { complaints.append("\(name) is there \(copies.count) times: \(copies)") }
            switch end {
            case nil: complaints.append("\(name) came to no end")
            case .failed(let failure):
                if failure.code == "name-taken", policy == .fail { break }
                if !copies.isEmpty, failure.code != "astray" {
                    complaints.append("\(name) is there as \(copies), and failed (\(failure.code)): \(failure)")
                }
            case .done(let receipt):
                if receipt.isOfSkipped {
                    if policy != .skip { complaints.append("\(name) was skipped, by \(policy)") }
                    break
                }
                // Another item of ours may have come there since, where that is asked for.
                if policy == .overwrite, items.filter({ $0.name == items[index].name }).count > 1 { break }
                let there = server.content(receipt.remoteID)
                let isProven = [.verified, .echoed].contains(receipt.evidence)
                if there != content, isProven || isHonest {
                    complaints.append(
                        "\(name) is \(receipt.evidence) as \(String(reflecting: receipt.remoteID)), where \(there.map { "\($0.count) other bytes are" } ?? "nothing is")")
                }
            }
        }
        let remains = server.files.keys.filter(Self.isOfOurs).sorted() + server.names.filter { Self.isOfOurs($0) }
        if !remains.isEmpty, isHonest { complaints.append("left over: \(Set(remains).sorted())") }
        if wire.count > Self.mostRequests { complaints.append("\(wire.count) requests") }
        return complaints
    }

    private static func text(_ path: [UInt8]) -> String { String(reflecting: String(decoding: path, as: UTF8.self)) }

    private static func isOfOurs(_ path: String) -> Bool { path.split(separator: "/").contains { TemporaryName.isOne(String($0)) } }
}

extension Receipt {
    /// As the journal has it.
    fileprivate var isOfSkipped: Bool { wasThere && evidence == .unknown && note != nil }
}

/// What leads to a server, for all processes.
private final class WorldWire: Sendable {
    let server: FakeDAV
    private let troubles: [Int: DAVWorld.Trouble]
    private let number = Locked(0)

    init(_ server: FakeDAV, _ troubles: [Int: DAVWorld.Trouble]) {
        self.server = server
        self.troubles = troubles
    }

    var count: Int { number.withLock { $0 } }

    func next() -> DAVWorld.Trouble? {
        troubles[
            number.withLock { number in
                number += 1
                return number - 1
            }]
    }
}

/// A process: when it is dead nothing of it reaches the server.
private final class WorldProcess: HTTPTransport {
    private let wire: WorldWire
    private let dead = Locked(false)

    init(_ wire: WorldWire) { self.wire = wire }

    var isDead: Bool { dead.withLock { $0 } }
    var server: FakeDAV { wire.server }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if isDead { throw .broken("killed", afterBody: false) }
        // Who asks without an end is stopped.
        if wire.count > DAVWorld.mostRequests + 500 { throw .cannotConnect("too many requests") }
        switch wire.next() {
        case nil: return try await wire.server.send(request)
        case .killedBefore:
            dead.withLock { $0 = true }
            throw .broken("killed", afterBody: false)
        case .killedAfter:
            // Others of it die only now, too.
            let _: HTTPResponse = try await wire.server.send(request)
            dead.withLock { $0 = true }
            throw .broken("killed", afterBody: true)
        case .brokenBefore: throw .broken("broken", afterBody: false)
        case .brokenMidway:
            if wire.server.manners.contains(.keepsWhatBrokeOff), let half = request.half {
                _ = try await wire.server.send(half)
            }
            throw .broken("broken", afterBody: false)
        case .lostAnswer:
            _ = try await wire.server.send(request)
            throw .broken("lost", afterBody: true)
        case .status423: return HTTPResponse(status: 423)
        case .status429: return HTTPResponse(status: 429)
        case .status500: return HTTPResponse(status: 500)
        case .status503: return HTTPResponse(status: 503)
        }
    }
}

extension HTTPRequest {
    /// What a server got of it that broke off; `nil` for what is no upload of a whole file.
    fileprivate var half: HTTPRequest? {
        guard method == "PUT", case .media(let source, let range) = body, range.lowerBound == 0,
            !headers.contains(where: { $0.name == "Content-Range" }), range.upperBound == source.size
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound / 2))
        let read = bytes.withUnsafeMutableBytes { buffer in try? source.read(into: buffer, at: 0) }
        guard read == bytes.count else { return nil }
        var request = self
        request.body = .bytes(bytes)
        return request
    }
}

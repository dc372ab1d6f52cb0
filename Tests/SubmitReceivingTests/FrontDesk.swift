import Crypto
import Foundation
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitStore
import SubmitTesting
import SystemPackage
import TestServers

@testable import SubmitReceiving

/// A journal with in-memory destinations, and receptions on it, one after the other as processes come and go.
final class FrontDesk: Sendable {
    let folder: FilePath
    let places = ["a": InMemoryPlace(), "b": InMemoryPlace()]
    private let time = Locked(Timestamp.now)
    private let steady = Locked(ContinuousClock.now)
    private let owned: TemporaryFolder?

    init(in folder: String? = nil) {
        owned = folder == nil ? TemporaryFolder() : nil
        self.folder = FilePath(folder ?? owned!.path)
    }

    func pass(_ duration: Duration) {
        time.withLock { $0 = $0.advanced(by: duration) }
        steady.withLock { $0 = $0.advanced(by: duration) }
    }

    var journal: FilePath { folder.appending("journal.sqlite") }
    var spool: FilePath { FilePath(realPath(folder)).appending(".journal.sqlite-spool") }

    /// As a process that begins has it.
    func open(_ change: (inout Reception.Options) -> Void = { _ in }) throws -> Reception {
        let journal = try Journal(path: journal) { [time] in time.withLock { $0 } }
        let manager = SubmitManager(
            store: journal.store, registry: try SubmitterRegistry(),
            policy: RetryPolicy(base: .milliseconds(1), longest: .milliseconds(4), attempts: 2))
        for (name, place) in places {
            manager.add(
                Destination(
                    name: name, type: InMemorySubmitter.submitterType(capabilities: InMemorySubmitter.capabilities),
                    submitter: InMemorySubmitter(place, capabilities: InMemorySubmitter.capabilities),
                    settings: DestinationSettings(destination: name)))
        }
        var options = Reception.Options()
        options.freeFloor = 0
        options.pace = .zero
        options.clock = { [steady] in steady.withLock { $0 } }
        change(&options)
        return Reception(manager, options: options)
    }

    /// Sends all that waits.
    func pay(_ reception: Reception) async throws {
        let batches = try await reception.manager.records.batches().map(\.id)
        try await reception.manager.start(batches).finish(patience: .seconds(20))
    }

    /// Every byte that lies beside the journal, and in it.
    func everything() throws -> [UInt8] {
        let files = FileManager.default.enumerator(atPath: folder.string)?.compactMap { $0 as? String } ?? []
        return files.flatMap { Array(FileManager.default.contents(atPath: folder.appending($0).string) ?? Data()) }
    }

    func spooled() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: spool.string)) ?? [] }
}

private func realPath(_ path: FilePath) -> String {
    let real = realpath(path.string, nil)!
    defer { free(real) }
    return String(cString: real)
}

extension Reception {
    /// Lets a device in.
    func enter(_ terms: InviteTerms = .both) async throws -> ReceivingSession {
        let invite = try await invite(terms)
        return try await claim(invite.id, secret: invite.secret, address: "10.0.0.2", device: "Phone").session
    }

    /// Sends a file in pieces, and finishes it.
    @discardableResult
    func send(
        _ bytes: [UInt8], named name: String = "a.jpg", _ session: ReceivingSession, piece: Int = 700
    ) async throws -> IncomingFile {
        let file = try await begin(FileOffer(name: name, length: Int64(bytes.count)), session: session)
        _ = try await append(to: file.id, session: session, at: 0, Pieces(bytes, of: piece))
        return try await finish(file.id, session: session)
    }
}

extension InviteTerms {
    static let both = InviteTerms(destinations: ["a", "b"])
}

/// A small JPEG, different for each seed.
func jpeg(_ count: Int, _ seed: UInt64 = 1) -> [UInt8] {
    [0xff, 0xd8, 0xff, 0xe0] + ScriptedBytes.content(count: count - 4, seed: seed)
}

func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

/// Bytes in pieces, which may break off at the end, or wait there.
struct Pieces: AsyncSequence {
    struct Broken: Error {}

    let bytes: [UInt8]
    let size: Int
    var breaks = false
    /// Called before each piece.
    var before: @Sendable (Int) async -> Void = { _ in }

    init(_ bytes: [UInt8], of size: Int = 64 << 10, breaks: Bool = false) {
        self.bytes = bytes
        self.size = size
        self.breaks = breaks
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let all: Pieces
        var taken = 0

        mutating func next() async throws -> ArraySlice<UInt8>? {
            await all.before(taken)
            guard taken < all.bytes.count else {
                if all.breaks { throw Broken() }
                return nil
            }
            let end = Swift.min(taken + all.size, all.bytes.count)
            defer { taken = end }
            return all.bytes[taken..<end]
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(all: self) }
}

/// What somebody is refused with.
func refusal(_ body: () async throws -> Void) async -> ReceivingRefusal? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ReceivingRefusal
    }
}

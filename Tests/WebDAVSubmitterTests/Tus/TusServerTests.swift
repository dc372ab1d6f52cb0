import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

/// tuspyserver, and a way into it. It is no WebDAV server: what it stores lies on its disk only.
private struct TusPlace: Sendable {
    let server: TusServer
    let isSecure: Bool

    private static let opened = Locked<Task<TusServer, any Error>?>(nil)

    /// Starts it once for all tests.
    init(isSecure: Bool = false) async throws {
        let opening = Self.opened.withLock { opened in
            let opening = opened ?? Task { try await TusServer(isSecure: true) }
            opened = opening
            return opening
        }
        server = try await opening.value
        self.isSecure = isSecure
    }

    func davServer() throws -> DAVServer {
        let endpoint = try Endpoint(isSecure ? server.secureEndpoint! : server.endpoint)
        return DAVServer(
            endpoint, destination: "tus",
            transport: AuthenticatingTransport(
                try CurlTransport(CurlConfiguration(userAgent: "submit-tests")),
                credentials: .password(user: server.user!, password: server.password!), origin: endpoint,
                allowsBasic: true),
            certificates: DAVServer.Certificates(authority: server.certificateAuthority))
    }

    func endeavour(size: Int, seed: UInt64 = 1, pieceDigest: DigestAlgorithm? = nil) throws -> TusEndeavour {
        var offer = TusOffer(creation: "/files/")
        offer.pieceDigest = pieceDigest
        return TusEndeavour(try davServer(), offer, size: size, seed: seed, name: "submit-\(UUID().uuidString)")
    }

    /// What arrived of it.
    func stored(_ endeavour: TusEndeavour) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(server.data)/\(endeavour.temporary.name!)")))
    }
}

@Suite struct `An upload by tus to a real server` {
    private static let part = TusEndeavour.partSize

    @Test(
        arguments: [0, 1, part - 1, part, part + 1, 2 * part - 1, 2 * part, 2 * part + 1, 40 * part + 17],
        [false, true])
    func `arrives whole`(size: Int, isSecure: Bool) async throws {
        let place = try await TusPlace(isSecure: isSecure)
        let endeavour = try place.endeavour(size: size)
        let brought = try await endeavour.attempt()
        #expect(brought.evidence == nil)
        #expect(try place.stored(endeavour) == endeavour.bytes.content)
    }

    @Test func `arrives beside others`() async throws {
        let place = try await TusPlace()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 1...8 {
                group.addTask {
                    let endeavour = try place.endeavour(size: 5 * Self.part + seed, seed: UInt64(seed))
                    _ = try await endeavour.attempt()
                    #expect(try place.stored(endeavour) == endeavour.bytes.content)
                }
            }
            try await group.waitForAll()
        }
    }

    /// Whatever came of the piece that was cut: the server says so.
    @Test(arguments: [1, part / 2, part, 3 * part + 7, 9 * part])
    func `goes on after it was cut`(cut: Int) async throws {
        let place = try await TusPlace()
        let endeavour = try place.endeavour(size: 10 * Self.part + 11)
        let running = Locked<Task<Void, Never>?>(nil)
        let started = Task {
            while running.withLock({ $0 == nil }) { await Task.yield() }
            _ = try? await endeavour.attempt { sent in
                if sent >= cut { running.withLock { $0?.cancel() } }
            }
        }
        running.withLock { $0 = started }
        await started.value
        let landed = endeavour.landed
        #expect(landed < endeavour.bytes.size)
        // The server may still be at what it got.
        for attempt in 1...20 {
            do throws(SubmitFailure) {
                _ = try await endeavour.attempt()
                break
            } catch {
                try #require(attempt < 20 && error.remedy != .giveUp, "\(error)")
            }
        }
        #expect(try place.stored(endeavour) == endeavour.bytes.content)
    }

    @Test func `is refused at a wrong offset, and keeps what it has`() async throws {
        let place = try await TusPlace()
        let tus = Tus(server: try place.davServer(), file: "a.jpg")
        let upload = try await begin(tus)
        #expect(try await tus.add(.bytes([1, 2, 3]), to: upload, at: 0).status == 204)
        #expect(try await tus.add(.bytes([9, 9]), to: upload, at: 1).status == 409)
        #expect(try await tus.look(at: upload).uploadOffset == 3)
    }

    /// It offers to check, and does not: what is offered is no proof.
    @Test func `is not checked because the server says so`() async throws {
        let place = try await TusPlace()
        let tus = Tus(server: try place.davServer(), file: "a.jpg")
        let upload = try await begin(tus)
        let wrong = (DigestAlgorithm.sha1, [UInt8](repeating: 0, count: 20))
        #expect(try await tus.add(.bytes([1, 2, 3]), to: upload, at: 0, digest: wrong).status == 204)
        let endeavour = try place.endeavour(size: 3 * Self.part, pieceDigest: .sha1)
        _ = try await endeavour.attempt()
        #expect(try place.stored(endeavour) == endeavour.bytes.content)
    }

    @Test func `is gone when it is removed`() async throws {
        let place = try await TusPlace()
        let server = try place.davServer()
        let tus = Tus(server: server, file: "a.jpg")
        let upload = try await begin(tus)
        let note = UploadCheckpoint(.tus, temporary: DAVPath(["a"], isCollection: false), upload: upload)
        try await server.removeUpload(note, about: "a.jpg")
        #expect(try await tus.look(at: upload).status == 404)
        try await server.removeUpload(note, about: "a.jpg")
    }

    private func begin(_ tus: Tus) async throws -> String {
        let answer = try await tus.create(
            at: "/files/", of: 10, metadata: [("filename", "a"), ("filetype", "text/plain")])
        let location = TusLocation(answer["Location"], from: "/files/", at: tus.server.endpoint)
        guard case .path(let upload) = location else {
            Issue.record("\(String(describing: location))")
            return ""
        }
        return upload
    }
}

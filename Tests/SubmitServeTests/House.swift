import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitReceiving
import SubmitStore
import SubmitTesting
import SystemPackage
import TestServers

@testable import SubmitServe

/// A journal with destinations in memory, and what answers requests before it, without any socket.
final class House: Sendable {
    let reception: Reception
    private let manager: SubmitManager
    let responder: WebResponder
    let lines = Locked<[AccessLine]>([])
    let place = InMemoryPlace()
    private let folder = TemporaryFolder()

    static let host = "box.local:8443"

    /// Invites that were told as locked.
    let locked = Locked<[InviteID]>([])

    init(_ change: (inout Reception.Options) -> Void = { _ in }) throws {
        let journal = try Journal(path: FilePath(folder.path).appending("journal.sqlite"))
        manager = SubmitManager(store: journal, registry: try SubmitterRegistry())
        manager.add(
            Destination(
                name: "a", type: InMemorySubmitter.submitterType(capabilities: InMemorySubmitter.capabilities),
                submitter: InMemorySubmitter(place, capabilities: InMemorySubmitter.capabilities),
                settings: DestinationSettings(destination: "a")))
        var options = Reception.Options()
        options.freeFloor = 0
        options.pace = .milliseconds(10)
        change(&options)
        reception = Reception(manager, options: options)
        responder = WebResponder(
            reception: reception, requestGuard: RequestGuard(names: ["box.local"], port: 8443, isSecure: true),
            isSecure: true, log: { [lines] line in lines.withLock { $0.append(line) } },
            onLock: { [locked] invite in locked.withLock { $0.append(invite) } })
    }

    /// Sends all that waits.
    func pay() async throws {
        let batches = try await manager.records.batches().map(\.id)
        try await manager.start(batches).finish(patience: .seconds(20))
    }

    /// Lets a device in, as curl does.
    func enter(_ terms: InviteTerms = InviteTerms(destinations: ["a"])) async throws -> String {
        let invite = try await reception.invite(terms)
        let answer = try await ask(
            .post, "/r/\(invite.id)/claim", [.contentType: "application/json"],
            Array(#"{"secret": "\#(invite.secret)", "bearer": true}"#.utf8))
        let told = try JSONDecoder().decode([String: Text].self, from: Data(answer.body))
        return told["token"]?.text ?? ""
    }

    struct Text: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    struct Answer {
        let status: Int
        let fields: HTTPFields
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:], _ body: [UInt8] = [],
        token: String? = nil, host: String? = House.host, from address: String = "10.0.0.2"
    ) async throws -> Answer {
        var fields = fields
        if let token { fields[.authorization] = "Bearer \(token)" }
        let request = Request(
            head: HTTPRequest(method: method, scheme: nil, authority: host, path: path, headerFields: fields),
            body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let response = await responder.answer(request, from: address)
        let written = Locked<[UInt8]>([])
        try await response.body.write(Collecting(bytes: written))
        return Answer(
            status: Int(response.status.code), fields: response.headers, body: written.withLock { $0 })
    }

    private struct Collecting: ResponseBodyWriter {
        let bytes: Locked<[UInt8]>

        mutating func write(_ buffer: ByteBuffer) async throws {
            bytes.withLock { $0 += buffer.readableBytesView }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

/// A small JPEG, different for each seed.
func jpeg(_ count: Int, _ seed: UInt64 = 1) -> [UInt8] {
    [0xff, 0xd8, 0xff, 0xe0] + ScriptedBytes.content(count: count - 4, seed: seed)
}

func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

import Foundation
import Submit
import SubmitConcurrency
import SubmitPluginProtocol
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitPluginHost

/// The specification's transcripts, with our host and a program that says what they show.
@Suite struct HostTranscriptTests {
    @Test(.timeLimit(.minutes(10)), arguments: Transcript.all)
    func `the host says what the specification shows, and takes what the program says`(transcript: Transcript)
        async throws
    {
        let replay = try HostReplay(transcript)
        let exchange = try await replay.run()
        for (shown, said) in exchange { #expect(said == shown) }
        for (id, expected) in replay.expected {
            let end = await replay.ends.withLock { $0[id] }?.value
            #expect(end == expected, "\(transcript): \(id)")
        }
        #expect(!replay.conversation.isOver)
        replay.close()
    }
}

/// One transcript on its way, on a thread of its own: it reads and writes as a program does.
private final class HostReplay: Sendable {
    typealias End = OpenRequest.End

    let conversation: SubmitPluginHost.Conversation
    let ends = Locked<[Int: Task<End, Never>]>([:])
    /// What is to come of the requests, by their numbers in the transcript.
    let expected: [Int: End]
    private let transcript: Transcript
    private let theirs: ProgramPipes.Ends

    init(_ transcript: Transcript) throws {
        self.transcript = transcript
        let (ours, theirs) = try ProgramPipes.make()
        self.theirs = theirs
        conversation = SubmitPluginHost.Conversation(
            ExternalProgram(name: "shelf", path: "/nowhere/submit-to-shelf"), TestPrograms.surroundings(), ours)
        var kinds: [Int: RequestKind] = [:]
        var expected: [Int: End] = [:]
        for line in transcript.lines {
            guard let id = line.json["id"]?.number else { continue }
            if line.speaker == .host {
                if let kind = RequestKind(rawValue: line.message) { kinds[id] = kind }
            } else if kinds[id] != nil {
                switch try SubmitterMessage(line: Array(line.text.utf8), requests: kinds) {
                case .done(_, .configured(var description)):
                    description.longestLink = description.longestLink ?? 3600
                    expected[id] = .success(.configured(description))
                case .done(_, let outcome): expected[id] = .success(outcome)
                case .failed(_, let failure): expected[id] = .failure(failure)
                case .unsupported: expected[id] = .success(nil)
                default: break
                }
            }
        }
        self.expected = expected
        let thread = conversation
        Thread.detachNewThread { thread.attend() }
    }

    /// The program leaves: there is no process that could be seen to exit.
    func close() {
        conversation.end(.notStarted(.noSuchProcess))
        for end in [theirs.input, theirs.output, theirs.errors] { try? end.close() }
    }

    func run() async throws -> [(shown: JSONText, said: JSONText)] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try self.exchange() }) }
        }
    }

    private func exchange() throws -> [(shown: JSONText, said: JSONText)] {
        try prepare()
        var exchange: [(JSONText, JSONText)] = []
        /// The numbers that the host gave to the requests.
        var numbers: [Int: Double] = [:]
        for line in transcript.lines {
            let id = line.json["id"]?.number
            switch line.speaker {
            case .submitter:
                // The end of a request that this host never makes.
                if let id, numbers[id] == nil, line.json["question"] == nil { continue }
                var said = line.text
                if let id, let number = numbers[id] {
                    said = said.replacing("\"id\":\(id)", with: "\"id\":\(Int(number))")
                }
                try say(said)
            case .host:
                switch try HostMessage(line: Array(line.text.utf8)) {
                case .unknown: continue
                case .request(let id, let request): ask(request, id)
                case .cancel(let id): ends.withLock { $0[id] }?.cancel()
                case .answer, .denied, .unsupported: break
                }
                var said = try next()
                if let id {
                    if numbers[id] == nil { numbers[id] = said["id"].flatMap { $0.number }.map(Double.init) }
                    if said["id"] == numbers[id].map(JSONText.number) { said["id"] = .number(Double(id)) }
                }
                // The host says who it is.
                if line.json["host"] != nil { said["host"] = line.json["host"] }
                exchange.append((line.json, said))
            }
        }
        return exchange
    }

    private func ask(_ request: HostRequest, _ id: Int) {
        let conversation = conversation
        let denial = denial
        let task = Task { () -> End in
            switch request {
            case .configure(let destination, let values, let secrets):
                return await Self.configure(
                    conversation,
                    DestinationSettings(
                        destination: destination, values: values,
                        secrets: Dictionary(uniqueKeysWithValues: secrets.map { ($0, "s3cr3t") })))
            case .submit(let attempt), .discard(let attempt):
                let context = SubmissionContext(submission: attempt.submission)
                return await conversation.ask(request, HostedAttempt(HelloBytes(denial: denial), context))
            default:
                return await conversation.ask(request)
            }
        }
        ends.withLock { $0[id] = task }
    }

    private static func configure(_ conversation: SubmitPluginHost.Conversation, _ settings: DestinationSettings) async
        -> End
    {
        do throws(SubmitFailure) {
            return .success(.configured(try await conversation.configure(settings)))
        } catch {
            return .failure(error)
        }
    }

    /// What the transcript shows the host to deny.
    private var denial: SubmitFailure? {
        for line in transcript.lines where line.speaker == .host {
            if case .denied(_, let failure)? = try? HostMessage(line: Array(line.text.utf8)) { return failure }
        }
        return nil
    }

    /// Lets happen what stands before a transcript that begins in the middle.
    private func prepare() throws {
        for message in ["hello", "configure"] {
            if transcript.requests.contains(message) { return }
            let shown = Transcript.all.first { $0.requests.contains(message) }
            let lines = try #require(shown?.lines)
            let asked = try #require(lines.first { $0.speaker == .host && $0.message == message })
            guard case .request(let id, let request) = try HostMessage(line: Array(asked.text.utf8)) else { return }
            ask(request, -id)
            let number = try #require(try next()["id"]?.number)
            let done = try #require(lines.first { $0.speaker == .submitter && $0.message == "done" })
            try say(done.text.replacing("\"id\":\(id)", with: "\"id\":\(number)"))
            // What comes next depends on what the host has learned by this.
            waitForEnd(of: -id)
        }
    }

    private func waitForEnd(of id: Int) {
        guard let end = ends.withLock({ $0[id] }) else { return }
        let isOver = DispatchSemaphore(value: 0)
        Task {
            _ = await end.value
            isOver.signal()
        }
        isOver.wait()
    }

    private func say(_ line: String) throws {
        try theirs.output.writeAll(Array("\(line)\n".utf8))
    }

    private func next() throws -> JSONText {
        var line: [UInt8] = []
        var byte: [UInt8] = [0]
        while true {
            let count = try byte.withUnsafeMutableBytes { try theirs.input.read(into: $0) }
            guard count == 1 else { throw Silence(end: conversation.state.withLock { $0.end }) }
            if byte[0] == UInt8(ascii: "\n") { break }
            line += byte
        }
        return try #require(JSONText(String(decoding: line, as: UTF8.self)))
    }

    /// The host closed the program's input.
    private struct Silence: Error {
        let end: ConversationEnd?
    }
}

/// The bytes of all items in the transcripts.
private struct HelloBytes: MediaBytes {
    let denial: SubmitFailure?
    let size: Int64 = 5
    let fileDescriptor: CInt? = nil

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        try ScriptedBytes(Array("hello".utf8)).read(into: buffer, at: offset)
    }

    func verifyUnchanged() throws(SubmitFailure) {
        if let denial { throw denial }
    }
}

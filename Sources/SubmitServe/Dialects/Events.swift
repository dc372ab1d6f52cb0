internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SubmitReceiving
internal import SubmitStore

/// `GET /events`: what becomes of a session's files, as server-sent events. Who lost the line goes on where it was, by
/// `Last-Event-ID`.
struct Events: Sendable {
    let reception: Reception
    let load: SessionLoad
    /// A line that says nothing keeps what lies between from closing it, and finds out who has gone.
    var heartbeat = Duration.seconds(15)

    /// Lines that may wait for a slow reader: the stream ends then, and it asks again.
    private static let mostWaiting = 64

    func stream(_ inquiry: Inquiry, _ session: ReceivingSession) throws(WebRefusal) -> Response {
        guard load.begin(.events, of: session.id) else {
            throw WebRefusal(
                .tooManyRequests, "too-many-at-once", "This device listens often enough already.",
                fields: [.retryAfter: "5"])
        }
        let after = inquiry.headers[HTTPField.Name("Last-Event-ID")!].flatMap(UInt64.init)
        let release = Release { [load] in load.end(.events, of: session.id) }
        let body = ResponseBody { writer in
            defer { release.now() }
            try await write(to: &writer, session, after)
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
    }

    private func write(
        to writer: inout any ResponseBodyWriter, _ session: ReceivingSession, _ after: UInt64?
    ) async throws {
        let (lines, line) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let changes = Task {
            for await change in reception.changes(of: session, after: after) {
                let json = String(decoding: JSONAnswer.bytes(ChangesReport(change)), as: UTF8.self)
                if case .dropped = line.yield("id: \(change.sequence)\nevent: files\ndata: \(json)\n\n") { break }
            }
            line.yield("event: end\ndata: {}\n\n")
            line.finish()
        }
        let beat = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: heartbeat)
                line.yield(": \n\n")
            }
        }
        defer {
            changes.cancel()
            beat.cancel()
        }
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        for await text in lines { try await writer.write(ByteBuffer(string: text)) }
    }
}

/// Something that is done once, at the latest when nobody holds this any more: an answer that cannot be written is let go of.
final class Release: Sendable {
    private let body: @Sendable () -> Void
    private let isDone = Once()

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func now() { if isDone.first() { body() } }

    deinit { now() }
}

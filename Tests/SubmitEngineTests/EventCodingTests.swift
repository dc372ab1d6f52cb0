import Foundation
import Submit
import SystemPackage
import Testing

@testable import SubmitEngine
@testable import SubmitJournal

@Suite struct `An event` {
    /// No text: its last byte but four begins a character that does not go on.
    private static let odd = [47, 112, 47, 0xe9, 46, 106, 112, 103, 0].withUnsafeBufferPointer { bytes in
        bytes.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) }
    }

    private static func item(_ path: FilePath = "/p/a “b”.jpg") -> MediaItem {
        MediaItem(
            source: path, name: "a “b”.jpg", size: 1 << 40,
            type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
            modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789),
            captured: CaptureTime("2024-05-17T18:42:07+02:00"), caption: "Ä day\nout", tags: ["one", "two"],
            digests: Digests([.sha256: Array(0..<32), .md5: Array(0..<16)]))
    }

    private static let plain = MediaItem(
        source: "/p/plain", name: "plain", size: 0, type: .other, modified: Timestamp(nanoseconds: -1),
        digests: Digests())

    private static func note(_ item: MediaItem = item()) -> SubmissionNote {
        SubmissionNote(id: 7, batch: 3, destination: "disk", item: item, attempt: 2)
    }

    private static let remedies: [Remedy] =
        [
            .retry(after: nil), .retry(after: .milliseconds(5)), .tryAnother(after: nil),
            .tryAnother(after: .milliseconds(6)), .wait(after: .milliseconds(7)), .renewCredentials, .giveUp,
            .sourceLost, .cancelled,
            .outcomeUnknown,
        ] + HoldReason.allCases.map { .hold($0, after: $0 == .full ? nil : .milliseconds(8)) }

    private static func failure(_ remedy: Remedy = .giveUp) -> SubmitFailure {
        SubmitFailure(remedy, code: "some-code", message: "Something happened: do this.")
    }

    private static func held(_ reason: HoldReason?, until: Timestamp?) -> SubmitEvent {
        var state = DestinationState(name: "disk")
        state.isPaused = until == nil
        state.hold = DestinationState.Hold(reason: reason, until: until, count: 4, code: "full", message: "It is full.")
        return .onHold(state)
    }

    static let all: [SubmitEvent] =
        [
            .accepted(
                item(), batch: 3,
                [
                    AcceptedSubmission(id: 7, destination: "disk", refusal: nil),
                    AcceptedSubmission(id: 8, destination: "cloud", refusal: failure()),
                ]),
            .accepted(item(odd), batch: 3, []),
            .refused(odd, batch: 3, failure()), .refused("/p/a.jpg", batch: 3, failure()),
            .leftBehind(LeftBehind(path: odd, folder: odd, reason: .hidden), batch: 3), .batchComplete(3, items: 12),
            .started(note()), .started(note(plain)),
            .done(
                note(item(odd)),
                Receipt(remoteID: "k", url: "https://h/k", evidence: .verified, note: "n", marks: ["etag": "1"])),
            .done(note(), Receipt(remoteID: "k", evidence: .unknown, wasThere: true)),
            .waiting(note(), failure(), until: Timestamp(nanoseconds: 5)), .waiting(note(), failure(), until: nil),
            .cancelled(note()), .onHold(DestinationState(name: "disk")), .holdEnded(destination: "disk"),
            .paused(destination: "disk"), .resumed(destination: "disk"), .sourceRemoved(item(), batch: 3, to: odd),
            .sourceRemoved(item(), batch: 3, to: nil), .sourceKept(item(), batch: 3, failure(), isForGood: true),
            .sourceKept(item(odd), batch: 3, failure(), isForGood: false),
        ] + remedies.map { .failed(note(), failure($0)) }
        + ([nil] + HoldReason.allCases).map { held($0, until: nil) } + [held(.full, until: Timestamp(nanoseconds: 9))]

    @Test func `is read again as it was written, with paths that are no text`() throws {
        #expect(String(validating: Self.odd) == nil)
        for event in Self.all {
            let data = try JSONEncoder().encode(event)
            #expect(
                try JSONDecoder().decode(SubmitEvent.self, from: data) == event,
                "\(String(decoding: data, as: UTF8.self))")
        }
    }

    @Test func `has the shape that is documented`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ event: SubmitEvent) throws -> String { String(decoding: try encoder.encode(event), as: UTF8.self) }
        #expect(
            try text(.refused(Self.odd, batch: 3, Self.failure(.hold(.full, after: .milliseconds(9)))))
                == """
                {"after_ms":9,"batch":3,"code":"some-code","event":"refused","message":"Something happened: do this.",\
                "path":"/p/\u{fffd}.jpg","path_bytes":"L3DpLmpwZw==","reason":"full","remedy":"hold"}
                """.replacingOccurrences(
                    of: "L3DpLmpwZw==", with: Data("/p/".utf8 + [0xe9] + ".jpg".utf8).base64EncodedString()))
        #expect(
            try text(.started(Self.note(Self.plain)))
                == """
                {"attempt":2,"batch":3,"destination":"disk","event":"started","item":{"extension":"","kind":"other",\
                "modified":"1969-12-31T23:59:59.999999999Z","name":"plain","path":"/p/plain","size":0,\
                "type":"application/octet-stream"},"submission":7}
                """)
    }

    @Test func `has keys that the documentation names`() throws {
        let page = FilePath(#filePath).removingLastComponent().appending(
            "../../Sources/SubmitEngine/Documentation.docc/Events.md")
        let words = try String(contentsOfFile: page.string, encoding: .utf8)
        func keys(_ value: Any) -> Set<String> {
            switch value {
            case let object as [String: Any]:
                object.reduce(into: []) { all, member in
                    all.insert(member.key)
                    // Marks have names of a submitter's own.
                    if member.key != "marks" { all.formUnion(keys(member.value)) }
                }
            case let list as [Any]: list.reduce(into: []) { $0.formUnion(keys($1)) }
            default: []
            }
        }
        var unknown: Set<String> = []
        for event in Self.all {
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event))
            unknown.formUnion(keys(object).filter { !$0.hasSuffix("_bytes") && !words.contains("`\($0)`") })
        }
        #expect(unknown.isEmpty)
    }

    @Test func `passes over what it does not know, and throws where a newer version named it`() throws {
        let decoder = JSONDecoder()
        let known = #"{"event": "paused", "destination": "disk", "mood": ["fine"]}"#
        #expect(try decoder.decode(SubmitEvent.self, from: Data(known.utf8)) == .paused(destination: "disk"))
        for text in [
            #"{"event": "danced", "destination": "disk"}"#, #"{"event": "paused"}"#,
            #"{"event": "refused", "batch": 1, "path": "/p", "path_bytes": "?", "code": "c", "message": "m", "remedy": "retry"}"#,
        ] {
            #expect(throws: DecodingError.self) { try decoder.decode(SubmitEvent.self, from: Data(text.utf8)) }
        }
    }

    @Test func `has times to the nanosecond, the earliest and the latest too`() {
        for nanoseconds in [Int64.min, .max, 0, -1, 1, -1_000_000_000, 1_700_000_000_000_000_001] {
            let time = Timestamp(nanoseconds: nanoseconds)
            #expect(Timestamp(text: time.text) == time, "\(time.text)")
        }
        for text in [
            "", "2024-02-30T00:00:00.000000000Z", "9999-01-01T00:00:00.000000000Z", "2024-01-01T00:00:00.00000000-Z",
            "9999",
        ] {
            #expect(Timestamp(text: text) == nil)
        }
    }
}

import Submit
import SubmitPluginProtocol
import Testing

@Suite struct MessageLineTests {
    @Test func `every message of the host is read as it was written`() throws {
        for message in MessageExamples.hostMessages {
            let line = message.line
            #expect(try HostMessage(line: line) == message)
            #expect(!line.contains(UInt8(ascii: "\n")))
        }
        #expect(Set(MessageExamples.requests.map(\.kind)) == Set(RequestKind.allCases))
    }

    @Test func `every message of a submitter is read as it was written`() throws {
        for (kind, outcome) in MessageExamples.outcomes {
            let message = SubmitterMessage.done(id: 4, outcome)
            #expect(try SubmitterMessage(line: message.line, requests: [4: kind]) == message)
        }
        #expect(Set(MessageExamples.outcomes.map(\.0)) == Set(RequestKind.allCases))
        for message in MessageExamples.submitterMessages {
            #expect(try SubmitterMessage(line: message.line, requests: [:]) == message)
        }
        #expect(Set(MessageExamples.questions.map(\.kind)) == Set(QuestionKind.allCases))
    }

    @Test func `what came of a request that is not open is nothing`() throws {
        let message = SubmitterMessage.done(id: 4, .receipt(MessageExamples.receipts[0]))
        #expect(try SubmitterMessage(line: message.line, requests: [5: .submit]) == .done(id: 4, .nothing))
    }

    @Test func `what is left out is as the specification says`() throws {
        let hello =
            #"{"message":"done","id":1,"version":1,"summary":"A shelf","settings":[{"name":"a","summary":"b"}],"more":{"x":[1.5]}}"#
        #expect(
            try SubmitterMessage(line: Array(hello.utf8), requests: [1: .hello])
                == .done(
                    id: 1,
                    .hello(
                        TypeDescription(
                            summary: "A shelf",
                            capabilities: Capabilities(ordering: .sequential, requiresNetwork: true),
                            settings: [SettingKey("a", .text, summary: "b")], silenceSeconds: 300))))
        let configured =
            #"{"message":"done","id":1,"facets":["albums","telepathy"],"capabilities":{"ordering":"concurrent"}}"#
        #expect(
            try SubmitterMessage(line: Array(configured.utf8), requests: [1: .configure])
                == .done(
                    id: 1,
                    .configured(
                        ConfiguredDescription(
                            capabilities: Capabilities(ordering: .concurrent(1), requiresNetwork: true),
                            facets: [.albums]))))
        let failed = #"{"message":"failed","id":1,"remedy":"giveUp","sentence":"No."}"#
        #expect(
            try SubmitterMessage(line: Array(failed.utf8), requests: [:])
                == .failed(id: 1, SubmitFailure(.giveUp, code: "failed", message: "No.")))
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1), ("1969-12-31T23:59:59.999999999Z", -1),
        ("2024-02-29T12:00:00.5Z", 1_709_208_000_500_000_000), ("2000-03-01T00:00:00.000Z", 951_868_800_000_000_000),
        ("1900-02-28T23:59:59Z", -2_203_891_201_000_000_000),
        ("2262-04-11T23:47:16.854775807Z", Int64.max), ("1677-09-21T00:12:43.145224192Z", Int64.min),
    ])
    func `times are read and written to the nanosecond`(text: String, nanoseconds: Int64) {
        let time = Timestamp(nanoseconds: nanoseconds)
        #expect(Timestamp(text: text) == time)
        #expect(Timestamp(text: time.text) == time)
        #expect(time.text.utf8.count == 30)
    }

    @Test(arguments: [
        "", "Z", "2024-05-17T16:42:07", "2024-05-17T16:42:07+00:00", "2024-05-17T16:42:07.Z",
        "2024-05-17T16:42:07.1234567890Z", "2024-05-17T16:42:60Z", "2023-02-29T00:00:00Z", "2024-05-17 16:42:07Z",
        "2262-04-11T23:47:16.854775808Z", "1677-09-21T00:12:43.145224191Z", "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z", "2024-05-17T16:42:07.１Z",
    ])
    func `what is no time is not taken for one`(text: String) {
        #expect(Timestamp(text: text) == nil)
    }
}

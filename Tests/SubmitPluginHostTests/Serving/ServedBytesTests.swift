import Foundation
import Submit
import SubmitPlugin
import Testing

@Suite(.timeLimit(.minutes(10))) struct ServedBytesTests {
    /// Tells in its receipt what bytes it got, and whether it had a descriptor.
    static let reading: ClosureSubmitter.Submit = { _, bytes, _ in
        bytes.all().map { all in
            let sum = all.reduce(0) { $0 &+ Int($1) }
            return Receipt(remoteID: "\(all.count) \(sum) \(bytes.fileDescriptor != nil)", evidence: .size)
        }
    }

    static func file(_ bytes: [UInt8]) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "submit-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        return url
    }

    @Test func `an item whose path is told is read from its file`() async throws {
        let file = try Self.file(Array(repeating: 1, count: 300_000))
        defer { try? FileManager.default.removeItem(at: file) }
        let conversation = try await Conversation.configured(Self.reading)
        let last = try await conversation.host { host in
            try host.say(submit: 1, size: 300_000, path: file.path())
            // Its time is not that of the item: so the host is asked.
            let question = try host.nextJSON()
            try host.say(#"{"message":"answer","question":\#(question["question"]?.number ?? 0)}"#)
            return (question["message"]?.text, try host.nextJSON()["receipt"]?["remoteID"]?.text)
        }
        #expect(last == ("unchanged", "300000 300000 true"))
        #expect(await conversation.end() == .finished)
    }

    @Test func `a file that is shorter than its item is refused`() async throws {
        let file = try Self.file([1, 2, 3])
        defer { try? FileManager.default.removeItem(at: file) }
        let conversation = try await Conversation.configured(Self.reading)
        let last = try await conversation.host { host in
            try host.say(submit: 1, size: 5, path: file.path())
            try host.say(#"{"message":"answer","question":\#(try host.nextJSON()["question"]?.number ?? 0)}"#)
            return try host.nextJSON()
        }
        #expect(last["remedy"]?.text == "retry")
        #expect(last["code"]?.text == "source-changed")
        #expect(await conversation.end() == .finished)
    }

    @Test func `an item without a path is asked for in pieces`() async throws {
        let conversation = try await Conversation.configured(Self.reading)
        let (asked, last) = try await conversation.host { host in
            try host.say(submit: 1, size: 600_000)
            var asked: [[Int?]] = []
            while true {
                let json = try host.nextJSON()
                guard json["message"]?.text == "read" else { return (asked, json) }
                let length = json["length"]?.number ?? 0
                asked.append([json["offset"]?.number, length])
                let bytes = Data(repeating: 1, count: length).base64EncodedString()
                try host.say(
                    #"{"message":"answer","question":\#(json["question"]?.number ?? 0),"bytes":"\#(bytes)"}"#)
            }
        }
        #expect(asked == [[0, 262_144], [262_144, 262_144], [524_288, 75_712]])
        #expect(last["receipt"]?["remoteID"]?.text == "600000 600000 false")
        #expect(await conversation.end() == .finished)
    }

    @Test func `an item that ends too early by message is refused`() async throws {
        let conversation = try await Conversation.configured(Self.reading)
        let last = try await conversation.host { host in
            try host.say(submit: 1, size: 5)
            for answer in [#","bytes":"AAAA""#, #","bytes":"""#, ""] {
                let number = try host.nextJSON()["question"]?.number ?? 0
                try host.say(#"{"message":"answer","question":\#(number)\#(answer)}"#)
            }
            return try host.nextJSON()
        }
        #expect(last["code"]?.text == "source-changed")
        #expect(await conversation.end() == .finished)
    }

    @Test func `what the host denies goes out as it is`() async throws {
        let conversation = try await Conversation.configured(Self.reading)
        let last = try await conversation.host { host in
            try host.say(submit: 1, size: 5)
            let number = try host.nextJSON()["question"]?.number ?? 0
            try host.say(
                #"{"message":"denied","question":\#(number),"remedy":"park","reason":"full","afterMilliseconds":7,"code":"c","sentence":"S."}"#
            )
            return try host.nextJSON()
        }
        #expect(
            last
                == JSONText(
                    #"{"message":"failed","id":1,"remedy":"park","reason":"full","afterMilliseconds":7,"code":"c","sentence":"S."}"#
                ))
        #expect(await conversation.end() == .finished)
    }
}

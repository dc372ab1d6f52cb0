import Foundation
import Submit
import SubmitPlugin
import Testing

@Suite(.timeLimit(.minutes(10))) struct ServedSubmitterTests {
    static let receipt = Receipt(remoteID: "a", evidence: .size)

    @Test func `bytes that are no text are kept as Base64 and given back`() async throws {
        let kept: [UInt8] = [0, 255, 1]
        let conversation = try await Conversation.configured { _, _, context in
            if let checkpoint = context.checkpoint {
                return .success(Receipt(remoteID: Hexadecimal.text(of: checkpoint.data), evidence: .size))
            }
            do throws(SubmitFailure) {
                try await context.keep(Checkpoint(data: kept))
                try await context.keep(Checkpoint(data: Array("base64:text".utf8)))
                try await context.keep(nil)
                return .success(Self.receipt)
            } catch {
                return .failure(error)
            }
        }
        let (texts, given) = try await conversation.host { host in
            try host.say(submit: 1, size: 0)
            var texts: [String?] = []
            while true {
                let json = try host.nextJSON()
                guard let number = json["question"]?.number else { break }
                texts.append(json["text"]?.text)
                try host.say(#"{"message":"answer","question":\#(number)}"#)
            }
            var given: [String?] = []
            for (id, text) in zip(2..., texts.compactMap { $0 } + ["plain", "base64:?"]) {
                try host.say(submit: id, size: 0, checkpoint: text)
                given.append(try host.nextJSON()["receipt"]?["remoteID"]?.text)
            }
            return (texts, given)
        }
        #expect(texts == ["base64:AP8B", "base64:YmFzZTY0OnRleHQ=", nil])
        let expected = [kept, Array("base64:text".utf8), Array("plain".utf8), Array("base64:?".utf8)]
        #expect(given == expected.map(Hexadecimal.text(of:)))
        #expect(await conversation.end() == .finished)
    }

    @Test func `a checkpoint that is too long fails and is not sent`() async throws {
        let conversation = try await Conversation.configured { _, _, context in
            do throws(SubmitFailure) {
                try await context.keep(Checkpoint(data: Array(repeating: 255, count: 40_000)))
                return .success(Self.receipt)
            } catch {
                return .failure(error)
            }
        }
        let last = try await conversation.host { host in
            try host.say(submit: 1, size: 0)
            return try host.nextJSON()
        }
        #expect(last["code"]?.text == "checkpoint-too-long")
        #expect(await conversation.end() == .finished)
    }

    @Test func `progress is told seldom, and the last before the end`() async throws {
        let conversation = try await Conversation.configured { _, _, context in
            for count in 0...20_000 {
                context.sent(Int64(count))
                context.landed(Int64(count / 2))
            }
            context.sent(5)
            return .success(Self.receipt)
        }
        let heard = try await conversation.host { host in
            try host.say(submit: 1, size: 0)
            var heard: [JSONText] = []
            while heard.last?["message"]?.text != "done" { heard.append(try host.nextJSON()) }
            return heard
        }
        #expect(heard.dropLast().last == JSONText(#"{"message":"progress","id":1,"sent":20000,"landed":10000}"#))
        #expect(heard.count < 100)
        #expect(await conversation.end() == .finished)
    }

    @Test func `secrets that are set are asked for before the submitter is made`() async throws {
        let conversation = try Conversation(ClosureSubmitter.type { _, _, _ in .failure(.cancelled) })
        let heard = try await conversation.host { host in
            try host.say(#"{"message":"hello","id":1,"versions":[9,1],"host":"test"}"#)
            _ = try host.nextJSON()
            try host.say(
                #"{"message":"configure","id":2,"destination":"attic","settings":{},"secrets":["token","key"]}"#)
            var heard: [String?] = []
            for text in [#","text":"k3y""#, ""] {
                let question = try host.nextJSON()
                heard.append(question["name"]?.text)
                try host.say(#"{"message":"answer","question":\#(question["question"]?.number ?? 0)\#(text)}"#)
            }
            heard.append(try host.nextJSON()["message"]?.text)
            try host.say(#"{"message":"check","id":3}"#)
            heard.append(try host.nextJSON()["text"]?.text)
            return heard
        }
        #expect(heard == ["key", "token", "done", "no token, k3y"])
        #expect(await conversation.end() == .finished)
    }

    @Test func `verbs that a submitter does not have are unsupported`() async throws {
        let conversation = try await Conversation.configured()
        let receipt = #""receipt":{"remoteID":"a","evidence":"size"}"#
        let requests = [
            #""albums""#, #""createAlbum","album":"a""#, #""removeAlbum","album":"a""#, #""remove",\#(receipt)"#,
            #""link","seconds":1,\#(receipt)"#, #""leftovers","sparing":[]"#, #""pollLogin""#, #""logout""#,
            #""beginLogin","client":"c""#, #""removeLeftover","leftover":{"id":"a","name":"b"}"#, #""other""#,
        ]
        let heard = try await conversation.host { host in
            try requests.map { request in
                try host.say(#"{"id":1,"message":\#(request)}"#)
                return try host.nextJSON()
            }
        }
        #expect(Set(heard) == [JSONText(#"{"message":"unsupported","id":1}"#)])
        #expect(await conversation.end() == .finished)
    }

    @Test func `a host that keeps no order is told so`() async throws {
        let conversation = try Conversation(ClosureSubmitter.type { _, _, _ in .failure(.cancelled) })
        let hello = #"{"message":"hello","id":1,"versions":[2,3],"host":"test"}"#
        let configure = #"{"message":"configure","id":1,"destination":"attic","settings":{},"secrets":[]}"#
        let lines = [
            #"{"message":"check","id":1}"#, configure, hello, configure, hello.replacing("2", with: "1"), configure,
            configure, #"{"message":"check","id":1}"#,
        ]
        let codes = try await conversation.host { host in
            try lines.map { line in
                try host.say(line)
                return try host.nextJSON()["code"]?.text
            }
        }
        #expect(
            codes == [
                "protocol-order", "protocol-order", "protocol-version", "protocol-order", nil, nil, "protocol-order",
                nil,
            ])
        #expect(await conversation.end() == .finished)
    }

    @Test func `no more than 16 questions are open`() async throws {
        let conversation = try await Conversation.configured { _, _, context in
            do throws(SubmitFailure) {
                try await context.keep(nil)
                return .success(Self.receipt)
            } catch {
                return .failure(error)
            }
        }
        let ends = try await conversation.host { host in
            for id in 1...40 { try host.say(submit: id, size: 0) }
            var open = try (1...16).map { _ in try host.nextJSON()["question"]?.number ?? 0 }
            // Others that are asked meanwhile: no question comes between.
            for id in 41...60 {
                try host.say(#"{"message":"check","id":\#(id)}"#)
                guard try host.nextJSON()["id"]?.number == id else { return 0 }
            }
            var ends = 0
            while ends < 40 {
                if !open.isEmpty { try host.say(#"{"message":"answer","question":\#(open.removeFirst())}"#) }
                let json = try host.nextJSON()
                if let number = json["question"]?.number { open.append(number) } else { ends += 1 }
            }
            return ends
        }
        #expect(ends == 40)
        #expect(await conversation.end() == .finished)
    }

    @Test func `the end of input cancels what is open and denies what is asked`() async throws {
        let conversation = try await Conversation.configured { _, _, context in
            do throws(SubmitFailure) {
                if context.checkpoint == nil { try? await Task.sleep(for: .seconds(3600)) }
                try await context.keep(nil)
                return .success(Self.receipt)
            } catch {
                return .failure(error)
            }
        }
        try await conversation.host { host in
            try host.say(submit: 1, size: 0)
            try host.say(submit: 2, size: 0, checkpoint: "x")
            _ = try host.nextJSON()
        }
        #expect(await conversation.end() == .finished)
        let last = try await conversation.host { host in try [host.nextJSON(), host.nextJSON()] }
        #expect(Set(last.map { $0["remedy"]?.text }) == ["cancelled"])
    }

    @Test func `a submitter that does not end when it is cancelled holds up the end for a while only`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let conversation = try await Conversation.configured(patience: 50) { _, _, _ in
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "hang").async {
                    gate.wait()
                    continuation.resume()
                }
            }
            return .success(Self.receipt)
        }
        try await conversation.host { try $0.say(submit: 1, size: 0) }
        #expect(await conversation.end() == .hanging)
        gate.signal()
        _ = try await conversation.host { $0.next() }
    }

    @Test func `a line that cannot be read ends it`() async throws {
        let conversation = try await Conversation.configured()
        try await conversation.host { try $0.say("{}") }
        #expect(await conversation.end() == .malformed("“message” is missing"))
        let twice = try await Conversation.configured { _, _, _ in
            try? await Task.sleep(for: .seconds(3600))
            return .failure(.cancelled)
        }
        try await twice.host { host in
            try host.say(submit: 1, size: 0)
            try host.say(submit: 1, size: 0)
        }
        #expect(await twice.end() == .malformed("“id” is that of an open request"))
    }
}

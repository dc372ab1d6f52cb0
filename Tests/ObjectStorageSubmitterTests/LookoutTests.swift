import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A small item for a server that is known to replace nothing` {
    let content = ScriptedBytes.content(count: 1000)

    private func submitter(_ storage: FakeStorage) throws(SubmitFailure) -> any Submitter {
        var profile = S3Profile()
        profile.putsConditionally = true
        return try storage.submitter(profile: profile)
    }

    @Test func `takes one PUT`() async throws {
        let storage = FakeStorage()
        let receipt = try await submitter(storage).submit(content)
        #expect(storage.log == ["PUT a.jpg"])
        #expect(receipt.evidence == .verified && !receipt.wasThere)
    }

    @Test func `is found where it is there, and those after it look first`() async throws {
        let storage = FakeStorage()
        storage.put(content, at: "a.jpg")
        let submitter = try submitter(storage)
        let receipt = try await submitter.submit(content)
        #expect(receipt.wasThere && receipt.evidence == .verified)
        _ = try await submitter.submit(content, named: "b.jpg")
        #expect(storage.log == ["PUT a.jpg", "HEAD a.jpg", "HEAD b.jpg", "PUT b.jpg"])
    }

    @Test func `is sent without a look again when nothing was found for a while`() async throws {
        let storage = FakeStorage()
        storage.put(content, at: "0.jpg")
        let submitter = try submitter(storage)
        for number in 0...Lookout.waryFor { _ = try await submitter.submit(content, named: "\(number).jpg") }
        let before = storage.log.count
        _ = try await submitter.submit(content, named: "last.jpg")
        #expect(storage.log.dropFirst(before) == ["PUT last.jpg"])
    }

    @Test func `leaves other bytes alone`() async throws {
        let storage = FakeStorage()
        storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await submitter(storage).submit(content)
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": [1, 2, 3], "a-1.jpg": content])
    }

    @Test func `leaves other bytes alone where the server does not know the condition after all`() async throws {
        let storage = FakeStorage(.withoutConditions)
        storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await submitter(storage).submit(content)
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": [1, 2, 3], "a-1.jpg": content])
    }

    @Test func `looks first when it was tried before, is large or shall replace`() async throws {
        let storage = FakeStorage()
        let submitter = try submitter(storage)
        let bytes = ScriptedBytes(content)
        _ = try await submitter.submit(
            bytes.item(named: "tried.jpg"), bytes: bytes, context: SubmissionContext(submission: "test-1", attempt: 2))
        let large = ScriptedBytes.content(count: Int(Lookout.mostSmall) + 1)
        _ = try await submitter.submit(large, named: "large.jpg")
        _ = try await submitter.submit(content, named: "new.jpg", onConflict: .overwrite)
        let names = ["tried.jpg", "large.jpg", "new.jpg"]
        #expect(storage.log == names.flatMap { ["HEAD \($0)", "PUT \($0)"] })
    }
}

@Suite struct `An unknown server` {
    let content = ScriptedBytes.content(count: 1000)

    private func submitter(_ storage: FakeStorage, _ notes: PassingNotes) throws(SubmitFailure) -> any Submitter {
        try ObjectStorageSubmitter.submitterType(transport: storage).make(
            Settings(
                destination: "bucket", values: ["endpoint": FakeStorage.origin, "bucket": "photos"],
                secrets: ["access_key_id": "AKID", "secret_access_key": FakeStorage.secret], notes: notes))
    }

    @Test func `is tried out once on an item of ours, and relied on from then on`() async throws {
        let storage = FakeStorage()
        let notes = PassingNotes()
        let first = try submitter(storage, notes)
        for number in 1...Lookout.storedBeforeTrial { _ = try await first.submit(content, named: "\(number).jpg") }
        #expect(storage.log.suffix(3) == ["HEAD 8.jpg", "PUT 8.jpg", "PUT 8.jpg"])
        let before = storage.log.count
        _ = try await first.submit(content, named: "9.jpg")
        _ = try await submitter(storage, notes).submit(content, named: "10.jpg")
        #expect(storage.log.dropFirst(before) == ["PUT 9.jpg", "PUT 10.jpg"])
    }

    @Test(arguments: [FakeStorage.Manner.withIgnorance, .withoutConditions, .plainSink])
    func `that replaces is looked at each time, and tried once for all`(manner: FakeStorage.Manner) async throws {
        let storage = FakeStorage(manner)
        let notes = PassingNotes()
        for _ in 1...2 {
            let submitter = try submitter(storage, notes)
            let before = storage.objects.count
            for number in before..<before + 2 * Lookout.storedBeforeTrial {
                _ = try await submitter.submit(content, named: "\(number).jpg")
            }
        }
        let names = (0..<4 * Lookout.storedBeforeTrial).map { "\($0).jpg" }
        for name in names {
            let looks = storage.log.firstIndex(of: "HEAD \(name)")
            #expect(looks != nil && looks! < storage.log.firstIndex(of: "PUT \(name)")!)
        }
        let twice = names.filter { name in
            storage.sent.filter { $0.method == "PUT" && $0.url.hasSuffix("/\(name)") && $0["if-none-match"] == nil }.count > 1
                || storage.sent.filter { $0.method == "PUT" && $0.url.hasSuffix("/\(name)") }.count > 2
        }
        #expect(twice.count <= 1, "\(twice)")
        #expect(storage.objects.mapValues(\.bytes) == Dictionary(uniqueKeysWithValues: names.map { ($0, content) }))
    }

    @Test func `that fails in the trial costs the item nothing`() async throws {
        let isFirst = Locked(true)
        let storage = FakeStorage(script: { sent in
            guard sent.method == "PUT", sent.url.hasSuffix("/8.jpg") else { return nil }
            return isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst ? nil : .failure(.broken("closed", afterBody: true))
            }
        })
        let submitter = try submitter(storage, PassingNotes())
        for number in 1...7 { _ = try await submitter.submit(content, named: "\(number).jpg") }
        #expect(try await submitter.submit(content, named: "8.jpg").evidence == .verified)
        _ = try await submitter.submit(content, named: "9.jpg")
        #expect(storage.log.suffix(2) == ["HEAD 9.jpg", "PUT 9.jpg"])
    }
}

import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A check of a server that nobody knows` {
    private func submitter(
        _ storage: FakeStorage, _ notes: any DestinationNotes = TransientNotes(), _ values: [String: String] = [:],
        secrets: [String: String] = [:]
    ) throws(SubmitFailure) -> any Submitter {
        try storage.submitter(["prefix": "phone"].merging(values) { $1 }, secrets: secrets, notes: notes)
    }

    @Test(arguments: [
        (
            FakeStorage.Manner.s3,
            "stores MD5 ETags, takes parts, computes CRC-32C, and honours If-None-Match, which spares small "
                + "items a look."
        ),
        (.withoutConditions, "stores MD5 ETags, takes parts, and refuses If-None-Match, so each upload looks first."),
        (.withIgnorance, "stores MD5 ETags, takes parts, and ignores If-None-Match, so each upload looks first."),
        (
            .plainSink,
            "stores ETags that are no MD5s, drops metadata, takes no parts, does not compare MD5 and SHA-256, and "
                + "ignores If-None-Match, so each upload looks first."
        ),
    ])
    func `says what was found and leaves nothing there`(manner: FakeStorage.Manner, sentence: String) async throws {
        let storage = FakeStorage(manner)
        let said = try await submitter(storage).check()
        #expect(said.hasSuffix("is there. It " + sentence))
        #expect(storage.objects.isEmpty && storage.openUploads.isEmpty)
        for sent in storage.sent where sent.method != "GET" && sent.url.contains("/photos/") {
            #expect(sent.url.contains("/photos/phone/.submit-probe-"))
        }
    }

    @Test func `is remembered with its date, and used the next time`() async throws {
        let notes = TransientNotes()
        let storage = FakeStorage(.withIgnorance)
        _ = try await submitter(storage, notes).check()
        let note = String(decoding: try #require(await notes.read("s3 \(FakeStorage.origin)")), as: UTF8.self)
        #expect(note.firstMatch(of: /^# Found on \d{4}-\d{2}-\d{2}: It stores MD5 ETags/) != nil)
        #expect(!note.contains(FakeStorage.secret) && !note.contains("AKID"))
        let profile = try S3Profile(yaml: note)
        #expect(profile.putsConditionally == false && profile.etagsAreMD5 == true && profile.etagsAreOfParts == true)
        #expect(!profile.completesConditionally && !profile.computesCRC32C && profile.parts != nil)

        let later = FakeStorage(.withIgnorance)
        _ = try await submitter(later, notes).submit([1, 2, 3])
        #expect(later.sent.last?.method == "PUT" && later.sent.last?["if-none-match"] == nil)
    }

    @Test func `gives way to what is said`() async throws {
        let notes = TransientNotes()
        _ = try await submitter(FakeStorage(.withIgnorance), notes).check()
        let storage = FakeStorage()
        let submitter = try submitter(storage, notes, ["provider": "minio"])
        #expect(try await submitter.check().hasSuffix("is there."))
        _ = try await submitter.submit([1, 2, 3])
        #expect(storage.sent.last?["if-none-match"] == "*")
        #expect(storage.sent.filter { $0.method == "PUT" }.count == 1)
    }

    @Test(arguments: ["", "nonsense", "parts: 3", "title: [", "#"])
    func `forgets a note that makes no sense`(note: String) async throws {
        let notes = TransientNotes()
        await notes.write("s3 \(FakeStorage.origin)", Array(note.utf8))
        let storage = FakeStorage()
        #expect(try await submitter(storage, notes).submit([1, 2, 3]).evidence == .verified)
        #expect(storage.sent.last?["if-none-match"] == "*")
    }

    @Test func `uses the customer's key`() async throws {
        let storage = FakeStorage()
        let said = try await submitter(
            storage, TransientNotes(), ["sse": "customer"], secrets: ["sse_customer_key": CustomerKeyTests.key]
        ).check()
        #expect(said.contains("takes parts") && storage.objects.isEmpty && storage.openUploads.isEmpty)
    }

    @Test(arguments: ["PUT", "HEAD", "GET", "POST"], [1, 2, 3])
    func `leaves nothing where it fails midway`(method: String, number: Int) async throws {
        let count = Locked(0)
        let storage = FakeStorage(.s3) { sent in
            guard sent.method == method, sent.url.contains("/photos/phone") else { return nil }
            let isFault = count.withLock { count in
                count += 1
                return count == number
            }
            return isFault ? .failure(.broken("reset", afterBody: true)) : nil
        }
        let notes = TransientNotes()
        _ = try? await submitter(storage, notes).check()
        #expect(storage.objects.isEmpty && storage.openUploads.isEmpty)
    }

    @Test func `leaves nothing where it is cancelled`() async throws {
        let running = Locked<Task<String, any Error>?>(nil)
        let storage = FakeStorage(.s3) { sent in
            if sent.url.contains("partNumber") { running.withLock { $0?.cancel() } }
            return nil
        }
        let submitter = try submitter(storage)
        let gate = Locked(false)
        let task = Task {
            while !gate.withLock({ $0 }) { await Task.yield() }
            return try await submitter.check()
        }
        running.withLock { $0 = task }
        gate.withLock { $0 = true }
        await #expect(throws: SubmitFailure.cancelled) { try await task.value }
        #expect(storage.objects.isEmpty && storage.openUploads.isEmpty)
    }

    @Test func `removes each version from a bucket that keeps them`() async throws {
        let removed = Locked<[String]>([])
        let stored = Locked(0)
        let storage = FakeStorage(.s3) { sent in
            guard sent.method == "DELETE" else { return nil }
            removed.withLock { $0.append(String(sent.url.drop { $0 != "?" }.dropFirst())) }
            return nil
        } after: { sent, answer, _ in
            guard sent.method == "PUT", answer.status == 200, !sent.url.contains("partNumber") else { return nil }
            var answer = answer
            let version = stored.withLock { stored in
                stored += 1
                return stored
            }
            answer.headers.append(("x-amz-version-id", "v\(version)"))
            return .success(answer)
        }
        _ = try await submitter(storage).check()
        let versions = removed.withLock { $0 }.filter { $0.hasPrefix("versionId=") }
        #expect(versions == (1...stored.withLock { $0 }).map { "versionId=v\($0)" })
    }

    @Test func `says what stays where it cannot be removed`() async throws {
        let storage = FakeStorage(.s3) { $0.method == "DELETE" ? .success(.error(403, "AccessDenied")) : nil }
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter(storage).check() }
        #expect(failure?.code == "access-denied" && failure?.message.contains(".submit-probe-") == true)
    }

    @Test func `says that nothing may be stored there`() async throws {
        let storage = FakeStorage(.s3) { $0.method == "PUT" ? .success(.error(403, "AccessDenied")) : nil }
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter(storage).check() }
        #expect(failure?.code == "access-denied")
    }
}

@Suite struct `A check of a real OpenStack Swift` {
    @Test(arguments: [Front.s3, .s3OverTLS])
    func `finds what its profile says`(front: Front) async throws {
        let place = try await FrontPlace(front)
        let notes = TransientNotes()
        let submitter = try ObjectStorageSubmitter.submitterType(transport: place.access.transport).make(
            DestinationSettings(
                destination: "swift", values: place.access.values.merging(["bucket": place.name]) { $1 },
                secrets: place.access.secrets, notes: notes))
        let said = try await submitter.check()
        #expect(said.contains("It stores MD5 ETags, takes parts"), "\(said)")
        #expect(try await place.contents().isEmpty)
        #expect(try await place.leftovers().isEmpty)
        let endpoint = try #require(place.access.values["endpoint"])
        let note = try #require(await notes.read("s3 \(endpoint)"))
        let found = try S3Profile(yaml: String(decoding: note, as: UTF8.self))
        let written = try S3Provider.swift.profile()
        #expect(found.putsConditionally == written.putsConditionally, "\(said)")
        #expect(found.completesConditionally == written.completesConditionally, "\(said)")
        #expect(found.etagsAreMD5 == written.etagsAreMD5)
        #expect(found.computesCRC32C == written.computesCRC32C && (found.parts == nil) == (written.parts == nil))
        await place.remove()
    }
}

import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

extension Submitter {
    /// Submits an invented item.
    func submit(
        _ content: [UInt8], named name: String = "a.jpg", caption: String? = nil, album: String? = nil,
        onConflict: ConflictPolicy = .rename, type: MediaType = .jpeg
    ) async throws(SubmitFailure) -> Receipt {
        let bytes = ScriptedBytes(content)
        return try await submit(
            bytes.item(named: name, type: type, caption: caption), bytes: bytes,
            context: SubmissionContext(submission: "test-1", album: album, onConflict: onConflict))
    }
}

@Suite struct `An item stored in a bucket` {
    let content = ScriptedBytes.content(count: 1000)

    @Test func `takes one HEAD and one PUT where the PUT's answer proves it`() async throws {
        let storage = FakeStorage()
        let receipt = try await storage.submitter().submit(content)
        #expect(storage.log == ["HEAD a.jpg", "PUT a.jpg"])
        #expect(
            receipt
                == Receipt(
                    remoteID: "a.jpg", url: "http://127.0.0.1:9/photos/a.jpg", evidence: .verified,
                    marks: ["etag": content.md5]))
    }

    @Test func `carries its type, digests and dates, and no ACL`() async throws {
        let storage = FakeStorage()
        _ = try await storage.submitter().submit(content)
        let put = try #require(storage.sent.last)
        #expect(put["content-type"] == "image/jpeg")
        #expect(put["content-md5"] == content.md5Base64)
        #expect(put["x-amz-content-sha256"] == content.sha256)
        #expect(put["x-amz-meta-sha256"] == content.sha256)
        #expect(put["x-amz-meta-captured"] == "2024-05-17T18:42:07+02:00")
        #expect(put["x-amz-meta-mtime"] == "1700000000.123456789")
        #expect(put["if-none-match"] == "*")
        #expect(put["x-amz-acl"] == nil && put["x-amz-storage-class"] == nil && put["x-amz-meta-caption"] == nil)
    }

    @Test func `is public and of a storage class where that is set`() async throws {
        let storage = FakeStorage()
        _ = try await storage.submitter(["public": "yes", "storage_class": "STANDARD_IA"]).submit(content)
        #expect(storage.sent.last?["x-amz-acl"] == "public-read")
        #expect(storage.sent.last?["x-amz-storage-class"] == "STANDARD_IA")
    }

    @Test(arguments: [
        ("At the sea", "At the sea"), ("a =? b", "=?UTF-8?B?YSA9PyBi?="),
        ("two  spaces", "=?UTF-8?B?dHdvICBzcGFjZXM=?="),
        ("Möwe\r\nX-Evil: 1", "=?UTF-8?B?TcO2d2UNClgtRXZpbDogMQ==?="),
        (
            String(repeating: "写", count: 20),
            "=?UTF-8?B?5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ5YaZ?= =?UTF-8?B?5YaZ5YaZ5YaZ5YaZ5YaZ?="
        ),
    ])
    func `has its caption as a header can carry it`(caption: String, header: String) async throws {
        let storage = FakeStorage()
        let receipt = try await storage.submitter().submit(content, caption: caption)
        #expect(storage.sent.last?["x-amz-meta-caption"] == header)
        #expect(receipt.note == nil)
    }

    @Test func `says so when its caption does not fit`() async throws {
        let storage = FakeStorage()
        let receipt = try await storage.submitter().submit(content, caption: String(repeating: "x", count: 257))
        #expect(storage.sent.last?["x-amz-meta-caption"] == nil)
        #expect(receipt.note?.contains("caption") == true)
    }

    @Test func `gets its key from prefix, album and template`() async throws {
        let storage = FakeStorage()
        let submitter = try storage.submitter(["prefix": "/phone/all/", "template": "{year}/{name}"])
        let receipt = try await submitter.submit(content, named: "a b\n%.jpg", album: "Sea/Day 1")
        #expect(receipt.remoteID == "phone/all/Sea/Day 1/2024/a b\n%.jpg")
        #expect(receipt.url == "http://127.0.0.1:9/photos/phone/all/Sea/Day%201/2024/a%20b%0A%25.jpg")
        #expect(storage.objects.keys.first == receipt.remoteID)
    }

    @Test func `with a key longer than services take is given up`() async throws {
        let storage = FakeStorage()
        let submitter = try storage.submitter(["prefix": String(repeating: "p", count: 1019)])
        _ = try await submitter.submit(content, named: "abcd")
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter.submit(content, named: "abcde") }
        #expect(failure?.remedy == .giveUp && failure?.code == "key-too-long")
    }

    @Test func `is asked for again where the PUT's answer proves nothing`() async throws {
        let storage = FakeStorage(.plainSink)
        let receipt = try await storage.submitter().submit(content)
        #expect(storage.log == ["HEAD a.jpg", "PUT a.jpg", "HEAD a.jpg"])
        #expect(receipt.evidence == .size)
    }

    @Test func `is echoed where only its metadata comes back`() async throws {
        let metadata = [(name: "x-amz-meta-sha256", value: content.sha256)]
        let answers = StorageAnswers([
            .success(HTTPResponse(status: 404)), .success(HTTPResponse(status: 200, headers: [("ETag", "\"abc-2\"")])),
            .success(
                HTTPResponse(status: 200, headers: metadata + [("Content-Length", "1000"), ("ETag", "\"abc-2\"")])),
        ])
        let receipt = try await FakeStorage(script: answers.next).submitter().submit(content)
        #expect(receipt.evidence == .echoed && !receipt.wasThere)
    }

    @Test(arguments: [true, false])
    func `is read back where its ETag contradicts its metadata`(isIntact: Bool) async throws {
        let etag = (name: "ETag", value: "\"0123456789abcdef0123456789abcdef\"")
        let metadata = [(name: "x-amz-meta-sha256", value: content.sha256), etag, ("Content-Length", "1000")]
        let held = isIntact ? content : content.map { $0 ^ 1 }
        let answers = StorageAnswers([
            .success(HTTPResponse(status: 200, headers: metadata)),
            .success(HTTPResponse(status: 206, headers: [("Content-Range", "bytes 0-999/1000")], body: held)),
            .success(HTTPResponse(status: 404)), .success(HTTPResponse(status: 200, headers: [("ETag", content.md5)])),
        ])
        let receipt = try await FakeStorage(script: answers.next).submitter().submit(content)
        #expect(receipt.evidence == .verified)
        #expect(receipt.remoteID == (isIntact ? "a.jpg" : "a-1.jpg"))
        #expect(receipt.wasThere == isIntact)
    }

    @Test func `of the same bytes is done without sending`() async throws {
        let storage = FakeStorage()
        storage.put(content, at: "a.jpg")
        let receipt = try await storage.submitter().submit(content)
        #expect(receipt.wasThere && receipt.evidence == .verified)
        #expect(storage.log == ["HEAD a.jpg"])
    }

    @Test func `is read back and compared where nothing else can tell`() async throws {
        let storage = FakeStorage(.plainSink)
        let large = ScriptedBytes.content(count: (4 << 20) + 5)
        storage.put(large, at: "a.jpg")
        let receipt = try await storage.submitter().submit(large)
        #expect(receipt.wasThere && receipt.evidence == .verified)
        #expect(storage.log == ["HEAD a.jpg", "GET a.jpg", "GET a.jpg"])

        var other = large
        other[100] ^= 1
        let renamed = try await storage.submitter().submit(other)
        #expect(renamed.remoteID == "a-1.jpg" && !renamed.wasThere)
        #expect(renamed.note?.contains("a-1.jpg") == true)
        #expect(storage.objects["a.jpg"]?.bytes == large)
    }

    @Test func `without the condition is remembered for servers that refuse it`() async throws {
        let storage = FakeStorage(.withoutConditions)
        let submitter = try storage.submitter()
        _ = try await submitter.submit(content, named: "a.jpg")
        _ = try await submitter.submit(content, named: "b.jpg")
        #expect(storage.log == ["HEAD a.jpg", "PUT a.jpg", "PUT a.jpg", "HEAD b.jpg", "PUT b.jpg"])
        #expect(storage.sent.map { $0["if-none-match"] } == [nil, "*", nil, nil, nil])
    }

    @Test func `that someone else stores at the same moment takes the next name`() async throws {
        let other = ScriptedBytes.content(count: 10, seed: 9)
        let holder = Locked<FakeStorage?>(nil)
        let storage = FakeStorage { sent in
            if sent.method == "PUT", sent.url.hasSuffix("/a.jpg") { holder.withLock { $0 }?.put(other, at: "a.jpg") }
            return nil
        }
        holder.withLock { $0 = storage }
        let receipt = try await storage.submitter().submit(content)
        holder.withLock { $0 = nil }
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(storage.objects["a.jpg"]?.bytes == other && storage.objects["a-1.jpg"]?.bytes == content)
    }

    @Test func `whose reply was lost is recognised`() async throws {
        let isLost = Locked(true)
        let holder = Locked<FakeStorage?>(nil)
        let bytes = content
        let storage = FakeStorage { sent in
            guard sent.method == "PUT", isLost.withLock({ $0 }) else { return nil }
            isLost.withLock { $0 = false }
            holder.withLock { $0 }?.put(bytes, at: "a.jpg")
            return .failure(.broken("reset", afterBody: true))
        }
        holder.withLock { $0 = storage }
        let submitter = try storage.submitter()
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter.submit(bytes) }
        holder.withLock { $0 = nil }
        #expect(failure?.remedy == .tryAnother(after: nil))
        #expect(try await submitter.submit(bytes).wasThere)
        #expect(storage.objects.count == 1)
    }

    @Test func `always refused because others store there is tried again later`() async throws {
        let storage = FakeStorage { sent in
            sent.method == "PUT" ? .success(.error(409, "ConditionalRequestConflict")) : nil
        }
        let failure = await #expect(throws: SubmitFailure.self) { try await storage.submitter().submit(content) }
        #expect(failure?.remedy == .retry(after: nil) && failure?.code == "conflict")
        #expect(storage.sent.count == 8)
    }

    @Test func `finds its name taken ten thousand times and is given up`() async throws {
        let storage = FakeStorage { _ in
            .success(HTTPResponse(status: 200, headers: [("ETag", "\"x\""), ("Content-Length", "1")]))
        }
        let failure = await #expect(throws: SubmitFailure.self) { try await storage.submitter().submit(content) }
        #expect(failure?.remedy == .giveUp && failure?.code == "name-taken")
        #expect(storage.sent.count == 10_000)
    }

    @Test func `makes its bucket once, however many need it`() async throws {
        let storage = FakeStorage(hasBucket: false)
        let submitter = try storage.submitter(["create_bucket": "true"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask { _ = try await submitter.submit([1, 2, 3], named: "\(index).jpg") }
            }
            try await group.waitForAll()
        }
        #expect(storage.hasBucket && storage.objects.count == 8)
        #expect(storage.sent.filter { $0.url == "http://127.0.0.1:9/photos" }.map(\.method) == ["HEAD", "PUT"])
    }

    @Test func `is stored whole where a server knows no parts, and only the first one asks`() async throws {
        let storage = FakeStorage(.plainSink)
        let submitter = try storage.submitter(["parts_above": "1KiB"])
        for name in ["a.jpg", "b.jpg"] {
            let receipt = try await submitter.submit(ScriptedBytes.content(count: 5000), named: name)
            #expect(receipt.evidence == .size)
        }
        #expect(storage.objects["b.jpg"]?.bytes == ScriptedBytes.content(count: 5000))
        #expect(storage.log.filter { $0.contains("?uploads") } == ["POST a.jpg?uploads="])
    }
}

/// Answers in turn.
final class StorageAnswers: Sendable {
    private let answers: Locked<[Result<HTTPResponse, HTTPFailure>]>

    init(_ answers: [Result<HTTPResponse, HTTPFailure>]) {
        self.answers = Locked(answers)
    }

    /// The next answer to whatever is asked; the storage's own at the end.
    var next: FakeStorage.Script {
        { [answers] _ in answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }
}

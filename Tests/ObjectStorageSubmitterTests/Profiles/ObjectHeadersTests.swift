import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `Headers that are configured` {
    let content = ScriptedBytes.content(count: 5000)

    private func put(
        _ settings: [String: String], secrets: [String: String] = [:], tags: [String] = []
    ) async throws -> (sent: FakeStorage.Sent, receipt: Receipt) {
        let storage = FakeStorage()
        let bytes = ScriptedBytes(content)
        var item = bytes.item(named: "a.jpg", type: .jpeg)
        item.tags = tags
        let receipt = try await storage.submitter(settings, secrets: secrets).submit(
            item, bytes: bytes, context: SubmissionContext(submission: "test-1"))
        return (try #require(storage.sent.first { $0.method == "PUT" }), receipt)
    }

    @Test func `are none where nothing is configured`() async throws {
        let sent = try await put([:], tags: ["sea"]).sent
        let known = [
            "x-amz-content-sha256", "x-amz-date", "x-amz-meta-sha256", "x-amz-meta-mtime", "x-amz-meta-captured",
        ]
        #expect(sent.headers.map(\.name).filter { $0.hasPrefix("x-amz-") && !known.contains($0) } == [])
        #expect(sent["cache-control"] == nil)
    }

    @Test func `say how to store and who may see`() async throws {
        let sent = try await put([
            "public": "yes", "storage_class": "STANDARD_IA", "cache_control": "max-age=86400", "sse": "s3",
            "bucket_owner": "012345678901",
        ]).sent
        #expect(sent["x-amz-acl"] == "public-read" && sent["x-amz-storage-class"] == "STANDARD_IA")
        #expect(sent["cache-control"] == "max-age=86400" && sent["x-amz-server-side-encryption"] == "AES256")
        #expect(sent["x-amz-expected-bucket-owner"] == "012345678901")
    }

    @Test func `name a key of the key management, or leave it to the account`() async throws {
        let named = try await put(["sse": "kms", "sse_kms_key": "arn:aws:kms:eu-west-3:1:key/2"]).sent
        #expect(named["x-amz-server-side-encryption"] == "aws:kms")
        #expect(named["x-amz-server-side-encryption-aws-kms-key-id"] == "arn:aws:kms:eu-west-3:1:key/2")
        let usual = try await put(["sse": "kms"]).sent
        #expect(usual["x-amz-server-side-encryption"] == "aws:kms")
        #expect(usual["x-amz-server-side-encryption-aws-kms-key-id"] == nil)
    }

    @Test func `lock for some days from now`() {
        let lock = ObjectLock(mode: .compliance, days: 365)
        let headers = lock.headers(from: Timestamp(nanoseconds: 1_700_000_000_500_000_000))
        #expect(headers.map(\.name) == ["x-amz-object-lock-mode", "x-amz-object-lock-retain-until-date"])
        #expect(headers.map(\.value) == ["COMPLIANCE", "2024-11-13T22:13:20Z"])
    }

    @Test func `lock what is sent`() async throws {
        let sent = try await put(["lock_mode": "governance", "lock_days": "1"]).sent
        #expect(sent["x-amz-object-lock-mode"] == "GOVERNANCE" && sent["content-md5"] != nil)
        #expect(sent["x-amz-object-lock-retain-until-date"]?.hasSuffix("Z") == true)
    }

    @Test(
        arguments: [
            (["Am Hafen", "sea"], "Am%20Hafen=&sea=", false),
            (["写真", "a/b:c@d"], "%E5%86%99%E7%9C%9F=&a%2Fb%3Ac%40d=", false),
            (["sea", "sea"], "sea=", false), (["a&b", "c"], "c=", true), (["aws:x", "AWS:y", ""], nil, true),
            ([String(repeating: "x", count: 129), "c"], "c=", true),
            ((0..<11).map { "t\($0)" }, "t0=&t1=&t2=&t3=&t4=&t5=&t6=&t7=&t8=&t9=", true),
        ] as [([String], String?, Bool)])
    func `carry tags that fit, and say what did not`(tags: [String], header: String?, leavesOut: Bool) async throws {
        let (sent, receipt) = try await put(["tags": "yes"], tags: tags)
        #expect(sent["x-amz-tagging"] == header)
        #expect((receipt.note?.contains("tags") == true) == leavesOut)
    }

    @Test(arguments: [
        (["sse": "aes"], "sse"), (["sse_kms_key": "k"], "sse_kms_key"),
        (["sse": "s3", "sse_kms_key": "k"], "sse_kms_key"),
        (["sse": "kms", "sse_kms_key": "a b"], "sse_kms_key"), (["sse": "customer"], "sse_customer_key"),
        (["lock_mode": "governance"], "lock_days"), (["lock_days": "3"], "lock_mode"),
        (["lock_mode": "x"], "lock_mode"),
        (["lock_mode": "compliance", "lock_days": "0"], "lock_days"), (["bucket_owner": "123"], "bucket_owner"),
        (["bucket_owner": "12345678901x"], "bucket_owner"), (["cache_control": "a\r\nb: c"], "cache_control"),
        (["tags": "some"], "tags"),
    ])
    func `that cannot be are refused by the setting`(settings: [String: String], name: String) {
        let failure = #expect(throws: SubmitFailure.self) { try FakeStorage().submitter(settings) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.message.contains("“\(name)”") == true)
    }

    @Test(arguments: [
        ("r2", ["public": "yes"], "public", "Cloudflare R2"), ("r2", ["tags": "yes"], "tags", "Cloudflare R2"),
        ("r2", ["lock_mode": "governance", "lock_days": "1"], "lock_mode", "Cloudflare R2"),
        ("b2", ["sse": "kms"], "sse", "Backblaze B2"), ("garage", ["sse": "s3"], "sse", "Garage"),
        ("swift", ["bucket_owner": "012345678901"], "bucket_owner", "OpenStack Swift"),
    ])
    func `that a provider does not know are refused by its name`(
        provider: String, settings: [String: String], name: String, title: String
    ) {
        let failure = #expect(throws: SubmitFailure.self) {
            try FakeStorage().submitter(settings.merging(["provider": provider]) { $1 })
        }
        #expect(failure?.message.contains("“\(name)”") == true && failure?.message.contains(title) == true)
    }
}

@Suite struct `Headers of S3` {
    @Test(arguments: [["sse": "s3"], ["lock_mode": "governance", "lock_days": "1"]])
    func `that Swift's own API does not have are refused`(settings: [String: String]) {
        let failure = #expect(throws: SubmitFailure.self) {
            try FakeStorage().submitter(settings.merging(["api": "swift"]) { $1 })
        }
        #expect(failure?.message.contains("OpenStack Swift's own API") == true)
    }
}

@Suite struct CustomerKeyTests {
    static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    private let sse = ["sse": "customer"]

    @Test func `A customer's key goes with every request about bytes, and never with others`() async throws {
        let storage = FakeStorage()
        let inParts = ["parts_above": "1KiB", "part_size": "2KiB", "verify": "readback"]
        let submitter = try storage.submitter(
            inParts.merging(sse) { $1 }, secrets: ["sse_customer_key": Self.key], profile: .amazon())
        let receipt = try await submitter.submit(ScriptedBytes.content(count: 5000))
        #expect(receipt.evidence == .verified)
        #expect(try await submitter.submit(ScriptedBytes.content(count: 5000)).wasThere)
        let md5 = Array("0123456789abcdef0123456789abcdef".utf8).md5Base64
        for sent in storage.sent where sent.method != "DELETE" {
            #expect(sent["x-amz-server-side-encryption-customer-algorithm"] == "AES256", "\(sent.method) \(sent.url)")
            #expect(sent["x-amz-server-side-encryption-customer-key"] == Self.key)
            #expect(sent["x-amz-server-side-encryption-customer-key-md5"] == md5)
        }
        #expect(Set(storage.sent.map(\.method)) == ["HEAD", "GET", "PUT", "POST"])
    }

    @Test(arguments: ["", "short", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZQ==", "not base64 at all, really not!"])
    func `A key that is no 32 bytes is refused and not shown`(key: String) {
        let failure = #expect(throws: SubmitFailure.self) {
            try FakeStorage().submitter(sse, secrets: ["sse_customer_key": key])
        }
        #expect(failure?.message.contains("sse_customer_key") == true)
        #expect(key.isEmpty || failure?.message.contains(key) == false)
    }

    @Test func `A key without the word for it is refused`() {
        let failure = #expect(throws: SubmitFailure.self) {
            try FakeStorage().submitter(secrets: ["sse_customer_key": Self.key])
        }
        #expect(failure?.message.contains("“sse” set to customer") == true)
    }

    @Test func `A key goes over http to this machine only`() {
        let failure = #expect(throws: SubmitFailure.self) {
            try FakeStorage().submitter(
                sse.merging(["endpoint": "http://example.org", "insecure": "yes"]) { $1 },
                secrets: ["sse_customer_key": Self.key])
        }
        #expect(failure?.message.contains("https") == true)
    }

    @Test func `A key is in no sentence and no description`() async throws {
        let storage = FakeStorage { sent in
            let body = "<Error><Code>Invalid \(Self.key)</Code><Message>\(Self.key) is bad</Message></Error>"
            return sent.method == "PUT" ? .success(HTTPResponse(status: 400, body: Array(body.utf8))) : nil
        }
        let submitter = try storage.submitter(sse, secrets: ["sse_customer_key": Self.key])
        let failure = await #expect(throws: SubmitFailure.self) { try await submitter.submit([1, 2, 3]) }
        #expect(failure?.message.contains(Self.key) == false && failure?.message.contains("…") == true)
        let key = try #require(CustomerKey(base64: Self.key))
        #expect(!"\(key) \(String(reflecting: S3Encryption.customerKey(key)))".contains(Self.key))
        var dumped = ""
        dump(S3Encryption.customerKey(key), to: &dumped)
        #expect(!dumped.contains(Self.key))
    }
}

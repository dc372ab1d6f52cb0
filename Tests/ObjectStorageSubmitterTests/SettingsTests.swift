import Submit
import SubmitHTTP
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `The settings of an object storage` {
    private func make(
        _ values: [String: String], secrets: [String: String]? = nil, storage: FakeStorage = FakeStorage()
    ) throws(SubmitFailure) -> any Submitter {
        let secrets = secrets ?? ["access_key_id": "AKID", "secret_access_key": "s3cr3t"]
        return try ObjectStorageSubmitter.submitterType(transport: storage).make(
            DestinationSettings(destination: "bucket", values: values, secrets: secrets))
    }

    @Test func `state a type that can be listed`() {
        let type = ObjectStorageSubmitter.submitterType(transport: FakeStorage())
        #expect(type.name == "objstore" && type.aliases == ["s3", "object-storage"])
        #expect(type.capabilities.maximumSize.isEmpty && type.capabilities.canResume)
        #expect(type.capabilities.digests == [.sha256, .md5, .crc32c] && type.capabilities.supportsAlbums)
        for key in type.settings where key.name.contains("secret") || key.name.contains("token") {
            #expect(key.kind == .secret)
        }
    }

    @Test(arguments: [
        ("{name}", false), ("{stem}-{sha256:8}.{ext}", false), ("{year}/{name}", true), ("{hour}{name}", true),
    ])
    func `ask for dates of capture where keys name them`(template: String, isDated: Bool) throws {
        let s3 = try make(["bucket": "b", "template": template])
        let swift = try FakeSwift().submitter(["template": template])
        #expect(s3.capabilities.usesCaptureTime == isDated && swift.capabilities.usesCaptureTime == isDated)
        let type = ObjectStorageSubmitter.submitterType(transport: FakeStorage())
        #expect(type.capabilities.usesCaptureTime)
    }

    @Test func `are public where everyone may read what is stored`() throws {
        for (text, visibility) in [("yes", Visibility.public), ("no", .private), (nil, .private)] {
            let values = text.map { ["public": $0] } ?? [:]
            #expect(try make(["bucket": "b"].merging(values) { $1 }).capabilities.visibility == visibility)
            #expect(try FakeSwift().submitter(values).capabilities.visibility == visibility)
        }
    }

    @Test(arguments: [
        (["bucket": "b"], "https://b.s3.us-east-1.amazonaws.com/a"),
        (["bucket": "b", "region": "eu-west-3"], "https://b.s3.eu-west-3.amazonaws.com/a"),
        (["bucket": "b", "region": "cn-north-1"], "https://b.s3.cn-north-1.amazonaws.com.cn/a"),
        (["bucket": "b.c"], "https://s3.us-east-1.amazonaws.com/b.c/a"),
        (["bucket": "b", "path_style": "yes"], "https://s3.us-east-1.amazonaws.com/b/a"),
        (["bucket": "b", "endpoint": "https://S3.example.org:9000/base/"], "https://s3.example.org:9000/base/b/a"),
        (["bucket": "b", "endpoint": "https://example.org:443", "path_style": "no"], "https://b.example.org/a"),
        (["bucket": "ü b", "endpoint": "http://[::1]:80"], "http://[::1]/%C3%BC%20b/a"),
        (["bucket": "b", "endpoint": "http://example.org", "insecure": "1"], "http://example.org/b/a"),
        (["bucket": "b", "endpoint": "https://notamazonaws.com"], "https://notamazonaws.com/b/a"),
    ])
    func `say where objects are`(values: [String: String], url: String) async throws {
        let storage = FakeStorage { _ in .failure(.cancelled) }
        let submitter = try make(values, storage: storage)
        await #expect(throws: SubmitFailure.cancelled) { try await submitter.submit([1], named: "a") }
        #expect(storage.sent.first?.url == url)
    }

    @Test(arguments: [
        (["bucket": "b", "endpoint": "http://example.org"], "insecure"),
        (["bucket": "b", "endpoint": "ftp://example.org"], "endpoint"),
        (["bucket": "b", "endpoint": "https://user:pass@example.org"], "endpoint"),
        (["bucket": "b/c"], "bucket"), (["bucket": ".."], "bucket"), (["bucket": "b_c"], "bucket"),
        (["bucket": "b", "region": "eu west"], "region"), (["bucket": "b", "region": "e/x"], "region"),
        (["bucket": "b", "prefix": "a//b"], "prefix"), (["bucket": "b", "prefix": "a/../b"], "prefix"),
        (["bucket": "b", "template": "{nonsense}"], "template"), (["bucket": "b", "jobs": "65"], "jobs"),
        (["bucket": "b", "storage_class": "A\r\nB"], "storage_class"), (["bucket": "b", "public": "maybe"], "public"),
    ])
    func `that cannot be are named`(values: [String: String], name: String) {
        let failure = #expect(throws: SubmitFailure.self) { try make(values) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.message.contains(name) == true)
        #expect(failure?.message.contains("pass@") == false)
    }

    @Test func `that are missing say how to set it up`() throws {
        let half = #expect(throws: SubmitFailure.self) { try make([:], secrets: ["access_key_id": "AKID"]) }
        #expect(half?.message.contains("secret_access_key") == true)
        let failure = #expect(throws: SubmitFailure.self) {
            try ObjectStorageSubmitter(
                DestinationSettings(destination: "bucket"), transport: FakeStorage(), clock: { .now }, environment: [:])
        }
        let sentence = try #require(failure?.message)
        for words in [
            "bucket", "secret_access_key", "set them up", "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
        ] {
            #expect(sentence.contains(words))
        }
    }

    @Test func `set the width of its queue`() throws {
        #expect(try make(["bucket": "b"]).capabilities.ordering == .concurrent(8))
        #expect(try make(["bucket": "b", "jobs": "3"]).capabilities.ordering == .concurrent(3))
    }
}

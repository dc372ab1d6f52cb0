import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `Albums in a bucket` {
    @Test func `are the beginnings of keys below the prefix, over all pages`() async throws {
        let storage = FakeStorage()
        for key in ["p/a/1", "p/b c+d/1", "p/b c+d/é\n/2", "p/c/1", "p/d/1", "p/e/1", "p/top", "other/x/1"] {
            storage.put([1], at: key)
        }
        let albums = try #require(try storage.submitter(["prefix": "p"]).facets.albums)
        #expect(try await albums.list() == ["a", "b c+d", "b c+d/é\n", "c", "d", "e"])
    }

    @Test func `are none in an empty bucket, and making one leaves nothing there`() async throws {
        let storage = FakeStorage()
        let albums = try #require(try storage.submitter().facets.albums)
        try await albums.create("New")
        #expect(try await albums.list() == [])
        #expect(storage.objects.isEmpty)
    }

    @Test(arguments: [
        "<html>", "", "<Other/>",
        "<ListBucketResult><CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes></ListBucketResult></x>",
    ])
    func `are not listed from nonsense`(body: String) async throws {
        let storage = FakeStorage { _ in .success(HTTPResponse(status: 200, body: Array(body.utf8))) }
        let albums = try #require(try storage.submitter().facets.albums)
        await #expect(throws: SubmitFailure.self) { try await albums.list() }
    }

    @Test func `end even where a server repeats itself for ever`() async throws {
        let page =
            "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
            + "<CommonPrefixes><Prefix></Prefix></CommonPrefixes></ListBucketResult>"
        let storage = FakeStorage { _ in .success(HTTPResponse(status: 200, body: Array(page.utf8))) }
        let albums = try #require(try storage.submitter().facets.albums)
        let failure = await #expect(throws: SubmitFailure.self) { try await albums.list() }
        #expect(failure?.code == "too-many-albums")
    }
}

@Suite struct `The presence of an object` {
    private func presence(_ answer: Result<HTTPResponse, HTTPFailure>) async throws -> Presence {
        let storage = FakeStorage { _ in answer }
        let bytes = ScriptedBytes([1, 2, 3])
        let facet = try #require(try storage.submitter().facets.presence)
        return await facet.presence(
            of: bytes.item(named: "a.jpg"), receipt: Receipt(remoteID: "a.jpg", evidence: .size))
    }

    private func object(_ size: Int, _ headers: [(name: String, value: String)]) -> HTTPResponse {
        HTTPResponse(status: 200, headers: headers + [("Content-Length", "\(size)")])
    }

    @Test func `is certain by digest, likely by metadata or size, and never guessed`() async throws {
        let content: [UInt8] = [1, 2, 3]
        let md5 = (name: "ETag", value: "\"\(content.md5.uppercased())\"")
        let otherMD5 = (name: "ETag", value: "\"0123456789abcdef0123456789abcdef\"")
        let sha256 = (name: "X-Amz-Meta-Sha256", value: content.sha256)
        let kms = (name: "x-amz-server-side-encryption", value: "aws:kms")
        #expect(try await presence(.success(object(3, [md5]))) == .present(.verified))
        #expect(try await presence(.success(object(3, [sha256]))) == .present(.echoed))
        for headers in [[sha256, otherMD5], [otherMD5]] {
            guard case .unknown = try await presence(.success(object(3, headers))) else {
                Issue.record("an ETag that need not be an MD5 proves nothing, where no bytes are handed out")
                return
            }
        }
        #expect(try await presence(.success(object(3, [sha256, otherMD5, kms]))) == .present(.echoed))
        #expect(try await presence(.success(object(3, [("ETag", "W/\"x\"")]))) == .present(.size))
        #expect(try await presence(.success(object(3, [otherMD5, kms]))) == .present(.size))
        #expect(try await presence(.success(object(3, [md5, ("x-amz-meta-sha256", "00")]))) == .changed(.digest))
        #expect(try await presence(.success(object(4, [md5, sha256]))) == .changed(.size))
        #expect(try await presence(.success(HTTPResponse(status: 200, headers: [("ETag", "x")]))) == .present(.unknown))
        #expect(try await presence(.success(HTTPResponse(status: 404))) == .absent)
        for answer in [.success(HTTPResponse(status: 503)), .failure(.cannotConnect("refused"))]
            as [Result<HTTPResponse, HTTPFailure>]
        {
            guard case .unknown = try await presence(answer) else {
                Issue.record("not unknown: \(answer)")
                return
            }
        }
    }
}

@Suite struct `A check of a bucket` {
    @Test func `says that it is there, is missing, or will be made, and makes nothing`() async throws {
        #expect(try await FakeStorage().submitter(["provider": "aws"]).check().hasSuffix("is there."))
        let missing = FakeStorage(hasBucket: false)
        let failure = await #expect(throws: SubmitFailure.self) { try await missing.submitter().check() }
        #expect(failure?.code == "no-bucket" && failure?.message.contains("create_bucket") == true)
        #expect(try await missing.submitter(["create_bucket": "true"]).check().hasSuffix("makes it."))
        #expect(!missing.hasBucket)
    }
}

@Suite struct `A claimed key` {
    /// Holds back what is stored until two have looked, or long enough that the second one must be waiting.
    private struct Patient: HTTPTransport {
        let storage: FakeStorage

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            if request.method == "PUT" {
                for _ in 0..<20_000 where storage.sent.count < 2 { await Task.yield() }
            }
            return try await storage.send(request)
        }
    }

    @Test(arguments: [false, true])
    func `is one with those that differ only in case, and both photos are stored`(foldsCase: Bool) async throws {
        let storage = FakeStorage(.withoutConditions, quirks: foldsCase ? [.foldsCase] : [])
        let submitter = try storage.submitter(transport: Patient(storage: storage))
        let contents = (1...2).map { ScriptedBytes.content(count: 1000, seed: UInt64($0)) }
        async let upper = submitter.submit(contents[0], named: "A.JPG")
        async let lower = submitter.submit(contents[1], named: "a.jpg")
        let keys = try await [upper, lower].map(\.remoteID)
        #expect(Set(storage.objects.values.map(\.bytes)) == Set(contents))
        if !foldsCase { #expect(keys == ["A.JPG", "a.jpg"]) }
    }
}

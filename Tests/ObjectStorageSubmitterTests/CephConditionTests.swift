import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// The gateway of Ceph 16: it compares `If-Match` with the ETag without quotes, and encodes listed keys without saying so.
@Suite struct CephConditionTests {
    private static func storage(readsBare: Bool = true) -> FakeStorage {
        FakeStorage(
            script: { sent in
                guard sent.method == "PUT", let match = sent["if-match"] else { return nil }
                return readsBare && !match.hasPrefix("\"") ? nil : .success(.error(412, "PreconditionFailed"))
            },
            after: { sent, answer, _ in
                guard sent.method == "GET", sent.url.hasSuffix("uploads=") else { return .success(answer) }
                var answer = answer
                let text = String(decoding: answer.body, as: UTF8.self)
                answer.body = Array(text.replacing("<EncodingType>url</EncodingType>", with: "").utf8)
                return .success(answer)
            })
    }

    private static func profile(heeds: Bool) -> S3Profile {
        var profile = S3Profile()
        if heeds { profile.putsConditionally = true }
        return profile
    }

    private func overwrite(_ name: String, at submitter: any Submitter) async throws -> Receipt {
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 3000))
        return try await submitter.submit(
            bytes.item(named: name), bytes: bytes,
            context: SubmissionContext(submission: "test-1", onConflict: .overwrite))
    }

    @Test(arguments: [true, false])
    func
        `a server that reads If-Match without quotes replaces an object after two requests with its bytes, then after one`(
            heeds: Bool
        ) async throws
    {
        let storage = Self.storage()
        let submitter = try storage.submitter(profile: Self.profile(heeds: heeds))
        for (name, requests) in [("a.jpg", 2), ("b.jpg", 1)] {
            storage.put([1, 2, 3], at: name)
            #expect(try await overwrite(name, at: submitter).remoteID == name)
            #expect(storage.objects[name]?.bytes == ScriptedBytes.content(count: 3000))
            let puts = storage.sent.filter { $0.method == "PUT" && $0.url.hasSuffix(name) }
            #expect(puts.count == requests)
            #expect(puts.last?["if-match"].map { $0.hasPrefix("\"") } == false)
        }
    }

    @Test func `a server that refuses every If-Match gets the bytes twice, and nobody is blamed`() async throws {
        let storage = Self.storage(readsBare: false)
        let submitter = try storage.submitter(profile: Self.profile(heeds: true))
        storage.put([1, 2, 3], at: "a.jpg")
        let failure = try await #require(throws: SubmitFailure.self) { try await overwrite("a.jpg", at: submitter) }
        #expect(failure.code == "condition-refused" && failure.remedy == .giveUp)
        failure.expectSentence(naming: "“a.jpg”")
        #expect(storage.objects["a.jpg"]?.bytes == [1, 2, 3])
        #expect(storage.sent.count { $0.method == "PUT" } == 2)
    }

    @Test(arguments: [[:], ["prefix": "my photos"]])
    func `leftovers are listed and removed under the key that an encoded list means`(
        settings: [String: String]
    ) async throws {
        let storage = Self.storage()
        let key = (settings["prefix"].map { $0 + "/" } ?? "") + "a photo.jpg"
        storage.change { $0.uploads.open["1"] = FakeUploads.Upload(key: key, headers: [], parts: [1: [1, 2, 3]]) }
        let leftovers = try #require(try storage.submitter(settings).facets.leftovers)
        let listed = try await leftovers.list(sparing: [])
        #expect(listed.map(\.name) == [key] && listed.map(\.bytes) == [3])
        for leftover in listed { try await leftovers.remove(leftover) }
        #expect(storage.openUploads == [])
    }

    @Test func `a leftover isn't called removed while the server still lists it`() async throws {
        let storage = Self.storage()
        storage.change { $0.uploads.open["1"] = FakeUploads.Upload(key: "a photo.jpg", headers: []) }
        let leftovers = try #require(try storage.submitter().facets.leftovers)
        let failure = try await #require(throws: SubmitFailure.self) {
            try await leftovers.remove(Leftover(id: "1", name: "a%20photo.jpg", begun: nil, bytes: nil))
        }
        #expect(failure.code == "upload-stays" && storage.openUploads == ["a photo.jpg"])
    }

    @Test(arguments: [true, false], [true, false])
    func `a list of uploads in pages is whole, whether or not it says that it is encoded and encodes where it goes on`(
        saysEncoding: Bool, encodesMarker: Bool
    ) async throws {
        let storage = FakeStorage(after: { sent, answer, _ in
            guard sent.method == "GET", sent.url.hasSuffix("uploads=") else { return nil }
            var text = String(decoding: answer.body, as: UTF8.self)
            if !saysEncoding { text.replace("<EncodingType>url</EncodingType>", with: "") }
            if !encodesMarker {
                text.replace(/<NextKeyMarker>([^<]*)</) { "<NextKeyMarker>\(decodedKey(String($0.1)))<" }
            }
            var answer = answer
            answer.body = Array(text.utf8)
            return .success(answer)
        })
        let keys = ["my photos/a b.jpg", "my photos/a!b.jpg", "my photos/a%20c.jpg", "my photos/a+b.jpg"]
        storage.change { state in
            state.uploads.pageSize = 1
            for (number, key) in keys.enumerated() {
                state.uploads.open["\(number)"] = FakeUploads.Upload(key: key, headers: [])
            }
        }
        let leftovers = try #require(try storage.submitter(["prefix": "my photos"]).facets.leftovers)
        #expect(try await leftovers.list(sparing: []).map(\.name).sorted() == keys.sorted())
    }

    @Test(arguments: [204, 404])
    func `an object is not called removed while the server still has it`(_ status: Int) async throws {
        let storage = FakeStorage { sent in
            sent.method == "DELETE" ? .success(HTTPResponse(status: status)) : nil
        }
        let key = ScratchObject.mark + "abc"
        storage.put([1], at: key)
        let facets = try storage.submitter().facets
        let listed = try await #require(facets.leftovers).list(sparing: [])
        #expect(listed.map(\.name) == [key])
        for leftover in listed {
            let failure = await #expect(throws: SubmitFailure.self) {
                try await #require(facets.leftovers).remove(leftover)
            }
            #expect(failure?.code == "not-removed")
            failure?.expectSentence(naming: "“\(key)”")
        }
        let failure = await #expect(throws: SubmitFailure.self) {
            try await #require(facets.removal).remove(Receipt(remoteID: key, evidence: .verified))
        }
        #expect(failure?.code == "not-removed")
    }
}

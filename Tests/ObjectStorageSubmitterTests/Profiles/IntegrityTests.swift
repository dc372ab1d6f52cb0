import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

extension S3Profile {
    /// Amazon's, with parts of any size.
    static func amazon() throws -> S3Profile {
        var profile = try S3Provider.aws.profile()
        profile.isPathStyle = true
        profile.parts = S3Profile.smallParts.parts
        return profile
    }
}

/// An invented item with the digests that the engine computes.
private func item(_ bytes: ScriptedBytes, for submitter: any Submitter) throws -> MediaItem {
    var item = bytes.item(named: "a.jpg", type: .jpeg)
    let wanted = submitter.capabilities.digests(ofSize: bytes.size)
    item.digests = try Digests.reading(wanted, of: ScriptedBytes(bytes.content))
    return item
}

extension Submitter {
    fileprivate func submitWhole(
        _ bytes: ScriptedBytes, checkpoint: Checkpoint? = nil, keeps: Locked<[Checkpoint?]>? = nil
    ) async throws -> Receipt {
        let item = try item(bytes, for: self)
        return try await submit(
            item, bytes: bytes,
            context: SubmissionContext(submission: "test-1", checkpoint: checkpoint) { checkpoint in
                keeps?.withLock { $0.append(checkpoint) }
                return .success(())
            })
    }
}

@Suite struct `What is sent to prove an item` {
    let bytes = ScriptedBytes(ScriptedBytes.content(count: 5000))
    let inParts = ["parts_above": "1KiB", "part_size": "2KiB", "path_style": "yes"]

    @Test func `to an unknown server is its MD5 and a signed SHA-256, and no later header`() async throws {
        for settings in [[:], inParts] {
            let storage = FakeStorage()
            _ = try await storage.submitter(settings, profile: .smallParts).submitWhole(bytes)
            for sent in storage.sent {
                let names = sent.headers.map(\.name)
                #expect(!names.contains { $0.hasPrefix("x-amz-checksum") || $0.hasPrefix("x-amz-sdk") })
                #expect(sent["x-amz-mp-object-size"] == nil && sent["x-amz-content-sha256"]?.utf8.count == 64)
                if sent.method == "PUT" { #expect(sent["content-md5"] != nil) }
            }
        }
    }

    @Test func `to Amazon is its CRC-32C too, which comes back`() async throws {
        let storage = FakeStorage()
        let submitter = try storage.submitter(profile: .amazon())
        #expect(try await submitter.submitWhole(bytes).evidence == .verified)
        #expect(try await submitter.submitWhole(bytes).wasThere)
        try #require(storage.sent.map(\.method) == ["PUT", "PUT", "HEAD"])
        #expect(storage.sent[0]["x-amz-checksum-crc32c"] == bytes.content.crc32c)
        #expect(storage.sent[2]["x-amz-checksum-mode"] == "ENABLED")
    }

    @Test func `to Amazon is no MD5, and nobody reads an item for one`() async throws {
        for settings in [[:], inParts] {
            let reads = Locked<[Int64]>([])
            let bytes = ScriptedBytes(bytes.content) { offset in reads.withLock { $0.append(offset) } }
            let storage = FakeStorage()
            let submitter = try storage.submitter(settings, profile: .amazon())
            #expect(submitter.capabilities.digests(ofSize: bytes.size) == [.sha256, .crc32c])
            #expect(try await submitter.submitWhole(bytes).evidence == .verified)
            #expect(storage.sent.allSatisfy { $0["content-md5"] == nil })
            // Parts are read for their CRC-32C, which goes ahead of them.
            let perPart = settings.isEmpty ? 1 : 2
            #expect(reads.withLock { $0.count { $0 == 0 } } == perPart)
            #expect(try await submitter.submitWhole(bytes).wasThere)
            #expect(
                try await submitter.facets.presence?.presence(
                    of: item(bytes, for: submitter),
                    receipt: Receipt(remoteID: "a.jpg", url: "", evidence: .verified)) == .present(.verified))
            #expect(reads.withLock { $0.count { $0 == 0 } } == perPart + (settings.isEmpty ? 1 : 0))
        }
    }

    @Test func `is the MD5 again where the CRC-32C does not come back`() async throws {
        let storage = FakeStorage(.s3) { _ in
            nil
        } after: { sent, answer, _ in
            var answer = answer
            answer.headers.removeAll { $0.name.hasPrefix("x-amz-checksum") }
            return .success(answer)
        }
        let submitter = try storage.submitter(profile: .amazon())
        #expect(try await submitter.submitWhole(bytes).evidence == .verified)
        #expect(submitter.capabilities.digests.contains(.md5))
        storage.remove("a.jpg")
        #expect(try await submitter.submitWhole(bytes).evidence == .verified)
        #expect(storage.sent.last?["content-md5"] == bytes.content.md5Base64)
    }

    @Test func `is the MD5 too of what is locked, and where ETags are all there is`() throws {
        let locked = ["lock_mode": "governance", "lock_days": "1"]
        #expect(try FakeStorage().submitter(locked, profile: .amazon()).capabilities.digests.contains(.md5))
        #expect(try FakeStorage().submitter().capabilities.digests.contains(.md5))
        #expect(try FakeSwift().submitter().capabilities.digests.contains(.md5))
    }

    @Test func `is no MD5 where a check found that CRC-32Cs are computed, once that is known`() async throws {
        let (storage, notes) = (FakeStorage(), TransientNotes())
        let submitter = try storage.submitter(notes: notes)
        #expect(submitter.capabilities.digests.contains(.md5))
        _ = try await submitter.check()
        #expect(!submitter.capabilities.digests.contains(.md5))
        #expect(try await submitter.submitWhole(bytes).evidence == .verified)
        let later = try storage.submitter(notes: notes)
        #expect(try await later.submitWhole(bytes).wasThere)
        #expect(!later.capabilities.digests.contains(.md5))
    }

    @Test func `is an MD5 that is computed once, whatever else is held there`() async throws {
        let swift = FakeSwift()
        let submitter = try swift.submitter()
        for number in 0..<4 {
            _ = try await submitter.submit(ScriptedBytes.content(count: 5000, seed: UInt64(90 + number)))
        }
        let reads = Locked(0)
        let bytes = ScriptedBytes(bytes.content) { offset in if offset == 0 { reads.withLock { $0 += 1 } } }
        var item = bytes.item(named: "a.jpg")
        item.digests[.md5] = nil
        let receipt = try await submitter.submit(item, bytes: bytes, context: SubmissionContext(submission: "test-1"))
        #expect(receipt.remoteID == "a-4.jpg" && receipt.evidence == .verified)
        // The other one is the PUT.
        #expect(reads.withLock { $0 } == 2)
    }

    @Test func `in parts is the CRC-32C of each and of all`() async throws {
        let storage = FakeStorage()
        let receipt = try await storage.submitter(inParts, profile: .amazon()).submitWhole(bytes)
        #expect(receipt.evidence == .verified)
        #expect(storage.objects["a.jpg"]?.features.crc32c == bytes.content.crc32c)
        let created = try #require(storage.sent.first { $0.url.hasSuffix("?uploads=") })
        #expect(created["x-amz-checksum-algorithm"] == "CRC32C" && created["x-amz-checksum-type"] == "FULL_OBJECT")
        let completed = try #require(storage.sent.last { $0.method == "POST" })
        #expect(completed["x-amz-checksum-crc32c"] == bytes.content.crc32c && completed["if-none-match"] == "*")
        #expect(completed["x-amz-mp-object-size"] == "5000")
        #expect(storage.sent.filter { $0.method == "PUT" }.allSatisfy { $0["x-amz-checksum-crc32c"] != nil })
    }

    @Test(arguments: [["sse": "kms"], ["sse": "customer"]])
    func `proves what is encrypted, whose ETag is no MD5`(sse: [String: String]) async throws {
        let key = sse["sse"] == "customer" ? ["sse_customer_key": CustomerKeyTests.key] : [:]
        for settings in [[:], inParts] {
            let storage = FakeStorage()
            let submitter = try storage.submitter(
                settings.merging(sse) { $1 }, secrets: key, profile: .amazon())
            #expect(try await submitter.submitWhole(bytes).evidence == .verified)
            #expect(storage.sent.allSatisfy { $0.method != "GET" || $0.url.contains("uploadId") })
            let again = try await submitter.submitWhole(bytes)
            #expect(again.wasThere && again.evidence == .verified)
        }
    }

    @Test func `goes on with encrypted parts that are there`() async throws {
        let isBroken = Locked(true)
        let storage = FakeStorage { sent in
            isBroken.withLock { $0 } && sent.url.contains("partNumber=3") ? .success(.error(503, "SlowDown")) : nil
        }
        let submitter = try storage.submitter(
            inParts.merging(["sse": "customer", "jobs": "1"]) { $1 },
            secrets: ["sse_customer_key": CustomerKeyTests.key], profile: .amazon())
        let kept = Locked<[Checkpoint?]>([])
        await #expect(throws: SubmitFailure.self) { try await submitter.submitWhole(bytes, keeps: kept) }
        isBroken.withLock { $0 = false }
        let count = storage.sent.count
        let last = try #require(kept.withLock { $0.last } ?? nil)
        #expect(try await submitter.submitWhole(bytes, checkpoint: last).evidence == .verified)
        #expect(storage.sent.dropFirst(count).filter { $0.method == "PUT" }.count == 1)
    }

    @Test func `is asked for without CRC-32C where its key of KMS may not be used`() async throws {
        let storage = FakeStorage { sent in
            sent["x-amz-checksum-mode"] == nil ? nil : .success(HTTPResponse(status: 403))
        }
        let submitter = try storage.submitter(inParts, profile: .amazon())
        #expect(try await submitter.submitWhole(bytes).evidence == .verified)
        #expect(try await submitter.submitWhole(bytes).wasThere)
    }

    @Test func `that comes through as another item is not taken for it`() async throws {
        let other = bytes.content.map { $0 ^ 1 }
        let storage = FakeStorage(.s3) { _ in
            nil
        } after: { sent, answer, state in
            guard sent.method == "PUT" else { return nil }
            state.objects["a.jpg"]?.bytes = other
            state.objects["a.jpg"]?.etag = "abc-2"
            state.objects["a.jpg"]?.features.crc32c = other.crc32c
            return .success(HTTPResponse(status: 200, headers: [("ETag", "\"abc-2\"")]))
        }
        let failure = await #expect(throws: SubmitFailure.self) {
            try await storage.submitter(profile: .amazon()).submitWhole(bytes)
        }
        #expect(failure?.code == "not-stored" && storage.objects.isEmpty)
    }

    @Test func `is a checksum of Google's among others`() throws {
        let profile = try S3Provider.gcs.profile()
        func answer(_ values: String...) -> HTTPResponse {
            HTTPResponse(status: 200, headers: values.map { ("X-Goog-Hash", $0) })
        }
        #expect(profile.crc32c(in: answer("crc32c=n03x6A==,md5=Ojk9c3dhfxgoKVVHYwFbHQ==")) == "n03x6A==")
        #expect(profile.crc32c(in: answer("md5=Ojk9c3dhfxgoKVVHYwFbHQ==", "crc32c=n03x6A==")) == "n03x6A==")
        #expect(profile.crc32c(in: answer("md5=Ojk9c3dhfxgoKVVHYwFbHQ==")) == nil)
        #expect(S3Profile().crc32c(in: answer("crc32c=n03x6A==")) == nil)
    }

    @Test func `says nothing where it is made of those of parts`() throws {
        let profile = try S3Provider.aws.profile()
        func answer(_ value: String, _ type: String) -> HTTPResponse {
            HTTPResponse(status: 200, headers: [("x-amz-checksum-crc32c", value), ("x-amz-checksum-type", type)])
        }
        #expect(profile.crc32c(in: answer("n03x6A==", "FULL_OBJECT")) == "n03x6A==")
        #expect(profile.crc32c(in: answer("n03x6A==", "COMPOSITE")) == nil)
        #expect(profile.crc32c(in: answer("n03x6A==-2", "")) == nil)
    }
}

@Suite struct `A condition` {
    let bytes = ScriptedBytes(ScriptedBytes.content(count: 5000))
    let inParts = ["parts_above": "1KiB", "part_size": "2KiB"]

    @Test func `is not sent where it is known to be refused`() async throws {
        var profile = S3Profile.smallParts
        profile.putsConditionally = false
        let storage = FakeStorage(.withoutConditions)
        _ = try await storage.submitter(profile: profile).submitWhole(bytes)
        #expect(storage.log == ["HEAD a.jpg", "PUT a.jpg"])
        #expect(storage.sent.allSatisfy { $0["if-none-match"] == nil })
    }

    @Test func `keeps what others stored while parts were completed`() async throws {
        let holder = Locked<FakeStorage?>(nil)
        let storage = FakeStorage { sent in
            // After the last look, before the end.
            if sent.method == "POST", sent["if-none-match"] != nil {
                holder.withLock { $0 }?.put([1, 2, 3], at: "a.jpg")
            }
            return nil
        }
        holder.withLock { $0 = storage }
        let receipt = try await storage.submitter(inParts, profile: .amazon()).submitWhole(bytes)
        holder.withLock { $0 = nil }
        #expect(storage.objects["a.jpg"]?.bytes == [1, 2, 3] && receipt.remoteID == "a-1.jpg")
        #expect(storage.openUploads.isEmpty)
    }

    @Test func `that a server refuses at the end is left out, then and later`() async throws {
        var profile = S3Profile.smallParts
        profile.completesConditionally = true
        let storage = FakeStorage(.withoutConditions)
        let submitter = try storage.submitter(inParts, profile: profile)
        #expect(try await submitter.submitWhole(bytes).evidence == .verified)
        storage.remove("a.jpg")
        #expect(try await submitter.submitWhole(bytes).evidence == .verified)
        #expect(storage.sent.filter { $0.method == "POST" && $0["if-none-match"] != nil }.count == 1)
    }
}

import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import ObjectStorageSubmitter

private struct FrontHarness: ContractHarness {
    let front: Front
    let inParts: Bool

    func makePlace() async throws -> any ContractPlace { try await FrontPlace(front, inParts: inParts) }
}

@Suite struct `A real OpenStack Swift` {
    /// Of its secrets, “testing” may be part of any text.
    private static let untried: Set<ContractRequirement> = [.secrets]

    /// All promises at one, and some by another way to the same server.
    private static func both(_ front: Front, _ other: Front) -> [(Front, ContractCase)] {
        ContractSuite.cases.map { (front, $0) } + ContractSuite.sample(0).map { (other, $0) }
    }

    @Test(arguments: both(.s3OverTLS, .s3))
    func `keeps the contract`(_ front: Front, _ promise: ContractCase) async throws {
        try await promise.run(FrontHarness(front: front, inParts: false), leavingOut: Self.untried)
    }

    @Test(arguments: both(.swift, .swiftWithPassword))
    func `keeps the contract with segments`(_ front: Front, _ promise: ContractCase) async throws {
        try await promise.run(FrontHarness(front: front, inParts: true), leavingOut: Self.untried)
    }

    @Test(arguments: Front.allCases)
    func `stores what is sent with its type and metadata`(_ front: Front) async throws {
        let place = try await FrontPlace(front)
        let receipt = try await place.makeSubmitter().submit(
            ScriptedBytes.content(count: 1000), named: "写 真.jpg", caption: "Möwe", album: "Am Hafen")
        #expect(receipt.evidence == .verified && receipt.remoteID == "Am Hafen/写 真.jpg")
        let object = try await place.send("HEAD", "/Am%20Hafen/%E5%86%99%20%E7%9C%9F.jpg")
        #expect(object["Content-Type"] == "image/jpeg")
        #expect(object["X-Object-Meta-Sha256"] == ScriptedBytes.content(count: 1000).sha256)
        #expect(object["X-Object-Meta-Caption"] == "=?UTF-8?B?TcO2d2U=?=")
        #expect(object["X-Object-Meta-Mtime"] == "1700000000.123456789")
        await place.remove()
    }

    @Test(arguments: Front.allCases)
    func `makes a container that is not there, and says that there is none`(_ front: Front) async throws {
        let place = try await FrontPlace(front, isMade: false)
        let missing = try place.makeSubmitter()
        let failure = await #expect(throws: SubmitFailure.self) { try await missing.submit([1, 2, 3]) }
        #expect(failure?.code == (front.takesSmallParts ? "no-container" : "no-bucket"))
        let making = try place.access.submitter(bucket: place.name, ["create_bucket": "true"])
        #expect(try await making.submit([1, 2, 3]).evidence == .verified)
        #expect(try await missing.check().contains("is there."))
        await place.remove()
    }

    /// BluePic's was readable by everyone from the start.
    @Test(arguments: [Front.swift, .swiftWithPassword])
    func `is private unless public is said`(_ front: Front) async throws {
        for (settings, reads, lists) in [
            ([:], false, false), (["public": "true"], true, false),
            (["public": "true", "public_listing": "true"], true, true),
        ] as [([String: String], Bool, Bool)] {
            let place = try await FrontPlace(front, isMade: false)
            let submitter = try place.access.submitter(
                bucket: place.name, settings.merging(["create_bucket": "true"]) { $1 })
            let receipt = try await submitter.submit([1, 2, 3])
            let url = try #require(receipt.url)
            func status(_ url: String) async throws -> Int {
                try await place.access.transport.send(HTTPRequest(method: "GET", url: url)).status
            }
            #expect(try await status(url) == (reads ? 200 : 401))
            #expect(try await status(String(url[..<(try #require(url.lastIndex(of: "/")))])) == (lists ? 200 : 401))
            await place.remove()
        }
    }

    @Test(arguments: [Front.s3, .s3OverTLS, .swift, .swiftOverTLS])
    func `makes links that lead to a copy until they end`(_ front: Front) async throws {
        let place = try await FrontPlace(front)
        let submitter = try place.access.submitter(bucket: place.name, secrets: ["temp_url_key": "test-url-key"])
        let content = ScriptedBytes.content(count: 1000)
        let receipt = try await submitter.submit(content, named: "写 真&+.jpg", album: "a b")
        let link = try await #require(submitter.facets.links).link(to: receipt, validFor: .seconds(600))
        #expect(!place.secrets.contains { link.contains($0) })
        let answer = try await place.access.transport.send(HTTPRequest(method: "GET", url: link))
        #expect(answer.status == 200 && answer.body == content)
        let other = link.replacing("a%20b", with: "a%20c")
        #expect(try await place.access.transport.send(HTTPRequest(method: "GET", url: other)).status >= 400)
        await place.remove()
    }

    @Test(arguments: [Front.swift, .swiftWithPassword])
    func `replaces a large object and keeps no segment of the old one`(_ front: Front) async throws {
        let place = try await FrontPlace(front, inParts: true)
        let submitter = try place.makeSubmitter()
        for seed in 1...2 {
            let bytes = ScriptedBytes(ScriptedBytes.content(count: 200_000, seed: UInt64(seed)))
            _ = try await submitter.submit(
                bytes.item(named: "a.jpg"), bytes: bytes,
                context: SubmissionContext(submission: "test-\(seed)", onConflict: .overwrite))
            #expect(try await place.contents().values.map { $0 } == [bytes.content])
            #expect(try await place.leftovers() == [])
        }
        await place.remove()
    }

    @Test(arguments: [Front.swift, .swiftWithPassword])
    func `lists and removes what broken uploads left, and nothing else`(_ front: Front) async throws {
        let place = try await FrontPlace(front, inParts: true)
        let submitter = try place.makeSubmitter()
        let whole = ScriptedBytes(ScriptedBytes.content(count: 100_000))
        _ = try await submitter.submit(
            whole.item(named: "whole.jpg"), bytes: whole, context: SubmissionContext(submission: "test-1"))
        var kept: [Checkpoint] = []
        for number in 2...3 {
            let note = Locked<Checkpoint?>(nil)
            let broken = ScriptedBytes(ScriptedBytes.content(count: 100_000), fault: .changesAtTheEnd)
            await #expect(throws: SubmitFailure.self) {
                try await submitter.submit(
                    broken.item(named: "broken.jpg"), bytes: broken,
                    context: SubmissionContext(
                        submission: "test-\(number)",
                        keep: { checkpoint in
                            note.withLock { $0 = checkpoint }
                            return .success(())
                        }))
            }
            kept.append(try #require(note.withLock { $0 }))
        }
        let facet = try #require(submitter.facets.leftovers)
        let found = try await facet.list(sparing: [kept[0]])
        #expect(found.map(\.name) == ["broken.jpg"] && found[0].id.contains("test-3"))
        #expect(found[0].begun != nil && (found[0].bytes ?? 0) > 0)
        for leftover in try await facet.list(sparing: []) { try await facet.remove(leftover) }
        #expect(try await place.leftovers() == [])
        #expect(try await place.contents()["whole.jpg"] == whole.content)
        await place.remove()
    }

    /// A part whose bytes were all sent is stored after its request was cancelled: nobody reaches it after its upload.
    @Test(arguments: [Front.s3, .s3OverTLS])
    func `keeps no part that was cancelled when all of it was sent`(_ front: Front) async throws {
        for seed in 1...6 {
            let place = try await FrontPlace(front)
            let submitter = try place.access.submitter(
                bucket: place.name, ["provider": "swift", "parts_above": "5MiB", "part_size": "5MiB"])
            let bytes = ScriptedBytes(ScriptedBytes.content(count: 5 << 20 | 1000, seed: UInt64(seed)))
            let kept = Locked<Checkpoint?>(nil)
            let (isSent, isSentNow) = AsyncStream.makeStream(of: Void.self)
            let attempt = Task {
                _ = try? await submitter.submit(
                    bytes.item(named: "a.jpg"), bytes: bytes,
                    context: SubmissionContext(
                        submission: "test-1",
                        keep: { checkpoint in
                            if let checkpoint { kept.withLock { $0 = checkpoint } }
                            return .success(())
                        }, sent: { if $0 == bytes.size { isSentNow.yield() } }))
                isSentNow.finish()
            }
            for await _ in isSent { attempt.cancel() }
            await attempt.value
            try await submitter.discard(
                bytes.item(named: "a.jpg"),
                context: SubmissionContext(submission: "test-1", checkpoint: kept.withLock { $0 }))
            if MultipartCheckpoint(kept.withLock { $0 })?.mayBeObject != true {
                #expect(try await place.leftovers() == [])
            }
            await place.remove()
        }
    }

    /// As after a completion that was broken between the manifest and the end of the upload's marker.
    @Test(arguments: [false, true])
    func `keeps an object whose upload is still open`(isCleanup: Bool) async throws {
        let place = try await FrontPlace(.s3)
        let submitter = try place.access.submitter(
            bucket: place.name, ["provider": "swift", "parts_above": "5MiB", "part_size": "5MiB"])
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 5 << 20 | 1000))
        let kept = Locked<Checkpoint?>(nil)
        _ = try await submitter.submit(
            bytes.item(named: "a.jpg"), bytes: bytes,
            context: SubmissionContext(
                submission: "test-1",
                keep: { checkpoint in
                    if let checkpoint { kept.withLock { $0 = checkpoint } }
                    return .success(())
                }))
        let checkpoint = kept.withLock { $0 }
        let id = try #require(MultipartCheckpoint(checkpoint)?.id)
        let parts = Front.s3.partsContainer(of: place.name)
        try await place.send("PUT", "/a.jpg/\(PercentEncoding.encode(id))", container: parts)
        let facet = try #require(submitter.facets.leftovers)
        let found = try await facet.list(sparing: [])
        #expect(found.map(\.id) == [id])
        if isCleanup {
            for leftover in found { try await facet.remove(leftover) }
        } else {
            try await submitter.discard(
                bytes.item(named: "a.jpg"), context: SubmissionContext(submission: "test-1", checkpoint: checkpoint))
        }
        #expect(try await facet.list(sparing: []) == [])
        #expect(try await place.contents()["a.jpg"] == bytes.content)
        await place.remove()
    }

    /// What is listed is whole for all that it shows.
    @Test(arguments: [Front.s3, .swift])
    func `has lost an object whose segment is gone`(_ front: Front) async throws {
        let place = try await FrontPlace(front, inParts: front.takesSmallParts)
        let submitter = try place.access.submitter(
            bucket: place.name,
            front.takesSmallParts ? place.settings : ["provider": "swift", "parts_above": "5MiB", "part_size": "5MiB"])
        let bytes = ScriptedBytes(ScriptedBytes.content(count: front.takesSmallParts ? 250_000 : 5 << 20 | 1000))
        let item = bytes.item(named: "a.jpg")
        let receipt = try await submitter.submit(
            item, bytes: bytes, context: SubmissionContext(submission: "test-1"))
        let parts = front.partsContainer(of: place.name)
        let last = try #require(try await place.keys(of: parts).last)
        try await place.send("DELETE", "/" + PercentEncoding.encodePath(last), container: parts)
        let facet = try #require(submitter.facets.presence)
        let found = await facet.presenceReadBack(of: item, receipt: receipt)
        #expect(found == (front == .swift ? .absent : .changed(.digest)))
        if front == .swift { #expect(await facet.presence(of: item, receipt: receipt) == .absent) }
        var context = SubmissionContext(
            submission: "test-1", attempt: 2, onConflict: front == .swift ? .rename : .overwrite)
        context.disproved = receipt.remoteID
        let mended = try await submitter.submit(item, bytes: bytes, context: context)
        #expect(mended.remoteID == "a.jpg" && mended.evidence == .verified && !mended.wasThere)
        #expect(await facet.presenceReadBack(of: item, receipt: mended) == .present(.verified))
        await place.remove()
    }

    /// Each receipt's address, signed, leads to its own bytes.
    @Test(arguments: [Front.s3, .swift])
    func `holds every name at the address of its receipt`(_ front: Front) async throws {
        let place = try await FrontPlace(front)
        let submitter = try place.access.submitter(bucket: place.name, secrets: ["temp_url_key": "test-url-key"])
        try await expectAddresses(of: submitter, place.access.transport)
        #expect(try await place.keys().sorted() == oddNames.sorted())
        await place.remove()
    }

    @Test(arguments: [Front.s3, .swift])
    func `has albums that are containers where that is wanted`(_ front: Front) async throws {
        let place = try await FrontPlace(front)
        let submitter = try place.access.submitter(bucket: place.name, ["album_as": "bucket"])
        let album = "album-\(UUID().uuidString.lowercased())"
        let receipt = try await submitter.submit([1, 2, 3], named: "photo.jpg", album: album)
        #expect(receipt.remoteID == "\(album)/photo.jpg")
        #expect(try await place.keys(of: album) == ["photo.jpg"])
        #expect(try await place.keys() == [])
        #expect(try await #require(submitter.facets.albums).list().contains(album))
        let item = ScriptedBytes([1, 2, 3]).item(named: "photo.jpg")
        #expect(await submitter.facets.presence?.presence(of: item, receipt: receipt) == .present(.verified))
        try await place.send("DELETE", "/photo.jpg", container: album)
        try await place.send("DELETE", container: album)
        await place.remove()
    }
}

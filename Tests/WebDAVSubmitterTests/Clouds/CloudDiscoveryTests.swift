import Foundation
import Submit
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

@Suite struct `A cloud is found out` {
    func profile(of access: DAVFront.Access, folder: String) async throws -> ServerProfile {
        let notes = TransientNotes()
        let submitter = try access.submitter(["folder": folder], notes: notes)
        _ = try await submitter.check()
        let url = access.url.hasSuffix("/") ? String(access.url.dropLast()) : access.url
        let topic = "server \(url) \(folder) \(access.values["user"] ?? "")"
        return try #require(ServerProfile(await notes.read(topic), now: .now))
    }

    @Test func `Nextcloud`() async throws {
        let cloud = try await CloudFront.nextcloud.shared()
        let profile = try await profile(of: cloud.access(), folder: "found")
        #expect(profile.vendor == .nextcloud && profile.account == cloud.userID)
        #expect(profile.root == "/remote.php/dav/files/\(cloud.userID)")
        #expect(profile.upload == .pieces(collection: "/remote.php/dav/uploads/\(cloud.userID)"))
        #expect(profile.checksum == .echoed && profile.answersHash && profile.dating == .ocMtime)
        #expect(profile.moves && profile.sparesOthers && profile.honoursIfNoneMatch && profile.takesHidden)
        #expect(profile.names == DAVNameRules(refused: "\\", longest: 250), "\(profile.names)")
        #expect(profile.partial == nil && !profile.etagsAreMD5 && !profile.foldsCase && profile.normalises)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cloud.data + "/found") == [])
    }

    @Test func `a Nextcloud that is kind to Windows`() async throws {
        let cloud = try await CloudFront.nextcloud.start(["--forbidden-names"])
        let access = try cloud.access()
        let names = try await profile(of: access, folder: "found").names
        #expect(Set(names.refused) == Set("\\:*?\"<>|") && names.refusedLast == ". ", "\(names)")
        let bytes = ScriptedBytes([1, 2, 3])
        let submitter = try access.submitter(["folder": "found"])
        for wasThere in [false, true] {
            let receipt = try await submitter.submit(
                bytes.item(named: "a: \"b\" <c>?."), bytes: bytes, context: SubmissionContext(submission: "windows"))
            #expect(receipt.remoteID == "a_ _b_ _c___" && receipt.wasThere == wasThere)
        }
        await cloud.remove()
    }

    @Test func `ownCloud`() async throws {
        let cloud = try await CloudFront.ownCloud.shared()
        let profile = try await profile(of: cloud.access(), folder: "found")
        #expect(profile.vendor == .ownCloud && profile.account == cloud.userID)
        #expect(profile.upload == .pieces(collection: "/remote.php/dav/uploads/\(cloud.userID)"))
        #expect(profile.checksum == .verified && !profile.answersHash && profile.dating == .ocMtime)
        #expect(profile.moves && profile.sparesOthers && profile.partial == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cloud.data + "/found") == [])
    }

    @Test func `ownCloud Infinite Scale`() async throws {
        let cloud = try await CloudFront.infiniteScale.shared()
        let profile = try await profile(of: cloud.access(), folder: "found")
        #expect(profile.vendor == .infiniteScale && profile.account == cloud.userID)
        if case .pieces = profile.upload { Issue.record("It takes no pieces") }
        #expect(profile.checksum == .verified && profile.dating == .ocMtime && profile.moves)
        #expect(!profile.honoursIfNoneMatch && profile.sparesOthers && profile.partial == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cloud.data + "/found") == [])
    }

    @Test(
        arguments: [
            "", "/", "/remote.php", "/remote.php/dav/", "/remote.php/dav/files", "/remote.php/webdav",
            "/remote.php/dav/files/a1b2-alice", "/remote.php/webdav/inner", "/remote.php/dav/files/a1b2-alice/inner",
        ], [CloudFront.nextcloud, .ownCloud])
    func `by any of its addresses`(_ address: String, _ front: CloudFront) async throws {
        let cloud = try await front.shared()
        try FileManager.default.createDirectory(
            atPath: cloud.data + "/inner", withIntermediateDirectories: true)
        let folder = "by-\(UUID().uuidString)"
        let profile = try await profile(of: cloud.access(url: cloud.endpoint + address), folder: folder)
        let inner = address.hasSuffix("inner") ? "/inner" : ""
        #expect(profile.root == "/remote.php/dav/files/\(cloud.userID)\(inner)" && profile.account == cloud.userID)
        #expect(profile.upload == .pieces(collection: "/remote.php/dav/uploads/\(cloud.userID)"))
        #expect(FileManager.default.fileExists(atPath: "\(cloud.data)\(inner)/\(folder)"))
    }

    @Test(arguments: ["", "/remote.php/webdav", "/remote.php/dav/files/b%20%40c"])
    func `below a path, with an id that has to be encoded`(_ address: String) async throws {
        let cloud = try await CloudFront.nextcloud.start(["--prefix", "/cloud", "--user", "b @c"])
        let profile = try await profile(of: cloud.access(url: cloud.endpoint + address), folder: "x")
        #expect(profile.root == "/cloud/remote.php/dav/files/b%20%40c")
        #expect(profile.upload == .pieces(collection: "/cloud/remote.php/dav/uploads/b%20%40c"))
        let endeavour = try CloudEndeavour(cloud)
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
        await cloud.remove()
    }

    @Test func `by who has a token and no name`() async throws {
        let cloud = try await CloudFront.nextcloud.shared()
        var access = try cloud.access()
        (access.values, access.secrets) = ([:], ["token": cloud.appPassword])
        #expect(try await profile(of: access, folder: "token").account == cloud.userID)
    }
}

import Foundation
import Submit
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

/// Copies that something else on the server's computer stored anew, as large as they were.
@Suite struct `A file that was overwritten at a WebDAV server` {
    private struct Copy {
        let file: URL
        let item: MediaItem
        let receipt: Receipt
        let presence: any PresenceFacet

        init(_ front: DAVFront, size: Int) async throws {
            let access = try await front.access()
            let folder = "overwritten-\(UUID().uuidString.lowercased())"
            let submitter = try access.submitter(["folder": folder], notes: NotesOfNeighbours(kind: front.rawValue))
            let bytes = ScriptedBytes(ScriptedBytes.content(count: size))
            receipt = try await submitter.submit(bytes)
            item = bytes.item(named: "a.jpg")
            file = URL(fileURLWithPath: "\(access.data)/\(folder)/\(receipt.remoteID)")
            presence = try #require(submitter.facets.presence)
        }

        /// As an editor does: beside it, and then instead of it.
        func overwrite(seed: UInt64) throws {
            let other = file.appendingPathExtension("new")
            try Data(ScriptedBytes.content(count: Int(item.size), seed: seed)).write(to: other)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1.8e9)], ofItemAtPath: other.path)
            guard rename(other.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }

        /// lighttpd looks at a file anew after two seconds.
        func look(for expected: Presence) async throws -> Presence {
            for _ in 0..<50 where await look() != expected { try await Task.sleep(for: .milliseconds(100)) }
            return await look()
        }

        func look() async -> Presence { await presence.presence(of: item, receipt: receipt) }
    }

    /// rclone with its cache and Tomcat tell for a while what was there before, copyparty has no ETags, and the files of
    /// Subversion lie in a repository.
    @Test(arguments: DAVFront.allCases.filter { ![.rcloneWithCache, .tomcat, .copyparty, .subversion].contains($0) })
    func `is known to be another where it is small, and to be the same where it is`(_ front: DAVFront) async throws {
        let copy = try await Copy(front, size: 5000)
        #expect(copy.receipt.marks["etag"] != nil)
        let presence = await copy.look()
        #expect(presence == .present(.size) || presence == .present(.verified), "\(presence)")
        try copy.overwrite(seed: 9)
        #expect(try await copy.look(for: .changed(.digest)) == .changed(.digest))
        try copy.overwrite(seed: 1)
        #expect(try await copy.look(for: .present(.verified)) == .present(.verified))
    }

    @Test func `is never called there where it is large`() async throws {
        let copy = try await Copy(.apache, size: 17 << 20)
        try copy.overwrite(seed: 9)
        guard case .unknown(let sentence) = await copy.look() else {
            Issue.record("\(await copy.look())")
            return
        }
        #expect(sentence.hasSuffix("look again with the verification “readback”."))
    }

    @Test func `is not read where nothing says that it was`() async throws {
        let server = FakeDAV([])
        let submitter = try server.submitter()
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 5000))
        let receipt = try await submitter.submit(bytes)
        let before = server.log.count
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presence(of: bytes.item(named: "a.jpg"), receipt: receipt) == .present(.size))
        #expect(server.log.dropFirst(before) == ["HEAD /dav/\(receipt.remoteID)"])
    }
}

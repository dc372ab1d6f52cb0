import Foundation
import Submit
import SubmitCurl
import SubmitTesting
import TestServers
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// The recipes of WordPress and Nextcloud, at a WordPress and at the fake of a Nextcloud.
@Suite struct `A recipe at a server` {
    private func submitter(_ name: String, _ values: [String: String], password: String) throws -> RecipeSubmitter {
        try RecipeSubmitter(
            try Recipe(text: try #require(Recipe.shippedText(name)), path: "\(name).yaml"),
            DestinationSettings(
                destination: "mine", values: values.merging(["insecure": "true"]) { $1 },
                secrets: ["password": password]),
            transport: try CurlTransport(CurlConfiguration(userAgent: "submit-tests")))
    }

    private func context(_ album: String? = nil) -> SubmissionContext {
        SubmissionContext(
            submission: UUID().uuidString, attempt: 1, album: album, checkpoint: nil, keep: { _ in .success(()) },
            landed: { _ in })
    }

    /// A GIF of one pixel, and some bytes behind it that make it its own: WordPress looks at what it is given.
    private static func image(_ seed: UInt64) -> [UInt8] {
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2C]
            + [0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B] + ScriptedBytes.content(count: 100, seed: seed)
    }

    private static let gif = MediaType(kind: .photo, mime: "image/gif", filenameExtension: "gif")

    @Test func `brings a photo with its caption into WordPress's media library`() async throws {
        let server = try await WordPressServer.shared()
        let submitter = try submitter(
            "wordpress", ["site": server.endpoint, "user": server.user], password: server.appPassword)
        let word = "w" + UUID().uuidString.prefix(8).lowercased()
        let bytes = ScriptedBytes(Self.image(7))
        let item = bytes.item(named: "\(word) é.gif", type: Self.gif, caption: "A “caption” of \(word) & <more>")

        #expect(try await submitter.whoami()?.name == "alice")
        let receipt = try await submitter.submit(item, bytes: bytes, context: context())
        #expect(receipt.evidence == .verified)
        let media = try await server.media(word)
        #expect(media.map(\.title.raw) == ["\(word) é"])
        #expect(media.map(\.caption.raw) == [item.caption])
        #expect(try media.map { try server.original($0) } == [bytes.content])
        #expect(media.map { "\($0.id)" } == [receipt.remoteID])

        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presence(of: item, receipt: receipt) == .present(.unknown))
        try await submitter.facets.removal?.remove(receipt)
        #expect(await presence.presence(of: item, receipt: receipt) == .absent)
    }

    @Test func `asks for a login where WordPress does not let us add media`() async throws {
        let server = try await WordPressServer.shared()
        let bytes = ScriptedBytes(Self.image(8))
        let item = bytes.item(named: "refused.gif", type: Self.gif)
        for (user, password) in [(server.reader, server.readerAppPassword), (server.user, "wr0ng")] {
            let submitter = try submitter("wordpress", ["site": server.endpoint, "user": user], password: password)
            await #expect(throws: SubmitFailure.self) {
                _ = try await submitter.submit(item, bytes: bytes, context: context())
            }
        }
        #expect(try await server.media("refused").isEmpty)
    }

    @Test(arguments: [1000, 23_000_000])
    func `stores a file in a folder of Nextcloud`(count: Int) async throws {
        let server = try await CloudServer(.nextcloud)
        let submitter = try submitter(
            "nextcloud", ["server": server.endpoint, "user": server.user, "user_id": server.userID],
            password: server.password)
        let bytes = ScriptedBytes(ScriptedBytes.content(count: count))
        let item = bytes.item(named: "a photo é.jpg")
        #expect(try await submitter.whoami()?.name == server.userID)
        let receipt = try await submitter.submit(item, bytes: bytes, context: context("An album"))
        #expect(receipt.evidence == (count == 1000 ? .verified : .accepted))
        let stored = URL(fileURLWithPath: server.data + "/An album/a photo é.jpg")
        #expect(try Array(Data(contentsOf: stored)) == bytes.content)
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presence(of: item, receipt: receipt) == .present(.echoed))
        try await submitter.facets.removal?.remove(receipt)
        #expect(await presence.presence(of: item, receipt: receipt) == .absent)
    }
}

import Foundation
import TestServers
import Testing

/// A real service, by the recipe that comes with the program and the program itself.
@Suite(.fewAtOnce) struct `submit to WordPress` {
    @Test func `brings a photo with its caption into the media library, and says who we are`() async throws {
        let server = try await WordPressServer.shared()
        let submit = Submit(["SUBMIT_BLOG_PASSWORD": server.appPassword])
        try submit.configure(
            """
            destinations:
              blog: { type: wordpress, site: "\(server.endpoint)", user: "\(server.user)", insecure: "true" }

            """)
        let word = "c" + UUID().uuidString.prefix(8).lowercased()
        let bytes = Photos.gif(word)
        let photo = try submit.folder.write(bytes, to: "\(word).gif")
        let caption = "A “caption” of \(word) & <more>"
        let sent = try await submit.run("--to", "blog", "--caption", caption, photo, "--json")
        #expect(sent.end == .exited(0), "\(sent)")

        let media = try await server.media(word)
        #expect(media.map(\.title.raw) == [word] && media.map(\.caption.raw) == [caption])
        #expect(try media.map { try server.original($0) } == [bytes])
        let submission = try #require(try await submit.list().first)
        #expect(submission.state == "done" && submission.evidence == "verified")
        #expect(submission.remote_id == media.first.map { "\($0.id)" })

        let whoami = try await submit.run("whoami", "blog")
        #expect(whoami.end == .exited(0) && whoami.out.contains("alice"), "\(whoami)")
        for outcome in [sent, whoami] {
            #expect(!(outcome.out + outcome.err).contains(server.appPassword))
        }
        #expect(submit.journalBytes().range(of: Data(server.appPassword.utf8)) == nil)
    }
}

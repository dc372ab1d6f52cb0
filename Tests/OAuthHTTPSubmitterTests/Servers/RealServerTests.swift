import Foundation
import TestServers
import Testing

/// That the servers that other tests lean on do what is said of them.
@Suite struct `A real server` {
    private let files = TemporaryFolder()

    private func curl(_ arguments: String...) async throws -> String {
        try await ChildProcess.output(of: ["curl", "-sS", "--noproxy", "*", "--max-time", "60"] + arguments)
    }

    private func upload(_ path: String, to endpoint: String, token: String) async throws -> String {
        try await curl(
            "-o", "/dev/null", "-w", "%{http_code}", "-T", path, "-H", "Authorization: Bearer \(token)", endpoint)
    }

    @Test func `takes uploads for Glewlwyd's tokens, until they are revoked`() async throws {
        let glewlwyd = try await GlewlwydServer()
        let place = try await BearerServer(asking: glewlwyd)
        let token = try await glewlwyd.clientToken()
        let photo = try files.write("a photo", to: "photo.jpg")

        #expect(try await upload(photo, to: place.endpoint, token: token) == "201")
        #expect(try String(contentsOfFile: place.data + "/photo.jpg", encoding: .utf8) == "a photo")
        #expect(try await upload(photo, to: place.endpoint, token: "x" + token) == "401")
        try await glewlwyd.revoke(token)
        #expect(try await !glewlwyd.isActive(token))
        #expect(try await upload(photo, to: place.endpoint, token: token) == "401")
    }

    @Test func `sends the browser back with a code, to addresses it knows`() async throws {
        let glewlwyd = try await GlewlwydServer()
        func granted(_ redirect: String) async throws -> String {
            try await glewlwyd.grant(
                "\(glewlwyd.authorizeURL)?response_type=code&client_id=\(glewlwyd.publicClient)"
                    + "&redirect_uri=\(redirect)&scope=upload&state=s1&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                    + "&code_challenge_method=S256")
        }
        let known = try await granted(glewlwyd.redirectURL)
        #expect(known.hasPrefix(glewlwyd.redirectURL + "?") && known.contains("code=") && known.contains("state=s1"))

        let other = "http://127.0.0.1:9/elsewhere"
        #expect(try await granted(other) == "")
        try await glewlwyd.allowRedirects(to: [other])
        #expect(try await granted(other).hasPrefix(other + "?"))
    }

    @Test func `refuses what is signed wrongly`() async throws {
        let server = try await OAuth1Server()
        let answer = try await curl(
            "-w", " %{http_code}", "-X", "POST", "-H",
            #"Authorization: OAuth oauth_consumer_key="consumer-key", oauth_nonce="n", oauth_timestamp="1","#
                + #" oauth_signature_method="HMAC-SHA1", oauth_signature="AAAA", oauth_callback="oob""#,
            server.requestURL)
        #expect(answer.hasSuffix(" 400") && answer.contains("oauth_timestamp"))
        #expect(try server.items().isEmpty)
    }

    @Test func `has a photo in its media library with its words`() async throws {
        let server = try await WordPressServer.shared()
        // A GIF of one pixel: WordPress looks at what it is given.
        let bytes: [UInt8] =
            Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2C]
            + [0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
        let word = "w" + UUID().uuidString.prefix(8).lowercased()
        let photo = try files.write(bytes, to: "\(word).gif")
        _ = try await curl(
            "-f", "-o", "/dev/null", "-u", "\(server.user):\(server.appPassword)", "-F", "file=@\(photo)",
            "-F", "title=\(word) é", "-F", "caption=a caption", "\(server.endpoint)/wp-json/wp/v2/media")

        let media = try await server.media(word)
        #expect(media.map(\.title.raw) == ["\(word) é"])
        #expect(media.map(\.caption.raw) == ["a caption"])
        #expect(try media.map { try server.original($0) } == [bytes])
    }
}

import Foundation
import TestServers
import Testing

/// From `login` to `logout` with recipes, with the program as people run it.
@Suite(.fewAtOnce) struct `An account of a recipe` {
    private struct WhoamiLine: Decodable {
        var signed_in: Bool
        var account: String?
    }

    private struct LogoutLine: Decodable {
        var revoked: Bool
        var forgotten: Bool
    }

    /// The account works, and is worth nothing after `logout`.
    private func use(_ place: RecipePlace, _ login: Outcome, isRevoked: Bool = true) async throws {
        let submit = place.submit
        #expect(login.end == .exited(0) && login.out.contains(#""event":"signed-in""#), "\(login)")
        let whoami = try await submit.run("whoami", "photos", "--json")
        let line = try #require(try whoami.decoded(WhoamiLine.self).first, "\(whoami)")
        #expect(line.signed_in && line.account?.isEmpty == false)
        #expect(login.out.contains(line.account ?? "?"))

        let photo = try Photos.make(1, in: submit.folder)[0]
        let send = try await submit.run("--to", "photos", photo, "--json")
        #expect(send.end == .exited(0), "\(send)")
        let digests = try await submit.list().map(\.item.sha256)
        #expect(try await place.seen() == digests)
        try place.expectSecrecy(login, whoami, send)

        let logout = try await submit.run("logout", "photos", "--json")
        let end = try #require(try logout.decoded(LogoutLine.self).first, "\(logout)")
        #expect(end.forgotten && end.revoked == isRevoked, "\(logout)")
        let left = try submit.folder.text("config/submit/secrets.yaml").split(separator: "\n").filter {
            $0.hasPrefix("  ")
        }
        // By it checkpoints are read after another login.
        #expect(left.allSatisfy { $0.hasPrefix("  checkpoint_key: ") }, "\(left)")
        let nobody = try await submit.run("whoami", "photos", "--json")
        #expect(nobody.end == .exited(1) && nobody.out.contains(#""signed_in":false"#), "\(nobody)")
        let more = try Photos.make(1, in: submit.folder, "more", seed: 9)[0]
        let waiting = try await submit.run("--to", "photos", more, "--json")
        #expect(waiting.end == .exited(3), "\(waiting)")
        #expect(try await place.seen() == digests)
    }

    @Test(arguments: [ServiceServer.Service.mastodon, .pixelfed, .googlePhotos, .flickr])
    func `is signed in by a browser that comes back`(service: ServiceServer.Service) async throws {
        let place = try await RecipePlace(service)
        let login = try await place.submit.login("photos", "--browser") { try await place.server.grant($0.url) }
        try await use(place, login, isRevoked: service != .flickr)
    }

    @Test(arguments: [ServiceServer.Service.dropbox, .x, .tumblr, .imgur, .mixi, .facebook, .flickr, .mastodon])
    func `is signed in by what is pasted`(service: ServiceServer.Service) async throws {
        let place = try await RecipePlace(service)
        let login = try await place.submit.login("photos", "--paste", isPasted: true) {
            try await place.server.grant($0.url)
        }
        try await use(place, login, isRevoked: [.dropbox, .x, .facebook, .mastodon].contains(service))
    }

    @Test(arguments: [ServiceServer.Service.immich, .hatena])
    func `is signed in by a key that is typed`(service: ServiceServer.Service) async throws {
        let place = try await RecipePlace(service)
        let wrong = try await place.submit.run(
            ["login", "photos", "--stdin", "--json"], input: "api_key=n0t-th3-k3y-at-all\n")
        #expect(wrong.end == .exited(1), "\(wrong)")
        #expect(!(wrong.out + wrong.err).contains("n0t-th3-k3y-at-all"))
        let key = try place.server.credential("API_KEY")
        let login = try await place.submit.run(["login", "photos", "--stdin", "--json"], input: "api_key=\(key)\n")
        try await use(place, login, isRevoked: false)
    }
}

/// A recipe of one's own, at Glewlwyd, which none of us wrote, and at an Apache that asks it about each token.
@Suite(.fewAtOnce) struct `A recipe at Glewlwyd` {
    private struct Harbour {
        let login: GlewlwydServer
        let place: BearerServer
        let submit: Submit

        init(tokenLife: Int? = nil, flow: String) async throws {
            login = try await GlewlwydServer(tokenLife: tokenLife, deviceInterval: 1)
            place = try await BearerServer(asking: login)
            submit = Submit(["SUBMIT_HARBOUR_CLIENT_SECRET": login.clientSecret])
            let server = login.issuer.split(separator: "/").prefix(2).joined(separator: "//")
            func path(_ url: String) -> String { "{{ settings.login }}" + url.dropFirst(server.count) }
            let recipe = """
                recipe: 1
                service: harbour
                title: Harbour
                summary: A collection behind a login
                facts: { checked: 2026-11-21, sources: [https://glewlwyd.tk/], tested: "against Glewlwyd and Apache" }
                settings:
                  place: { kind: url, summary: "The collection's address", required: true }
                  login: { kind: url, summary: "The login's address", required: true }
                hosts: ["{{ settings.place }}", "{{ settings.login }}"]
                auth:
                  kind: oauth2
                  authorize_url: "\(path(login.authorizeURL))"
                  token_url: "\(path(login.tokenURL))"
                  revoke_url: "\(path(login.revokeURL))"
                  device_url: "\(path(login.deviceURL))"
                  scopes: [upload]
                  client_auth: basic
                  redirect: \(login.redirectPort)
                  flows: [\(flow)]
                limits: { kinds: [photo], parallel: 4 }
                upload:
                  - id: put
                    request: { method: PUT, url: "{{ settings.place }}/{{ file.name }}", body: { raw: file } }
                receipt: { id: "{{ file.name }}", accepted_when: "true" }
                """
            let file = try submit.folder.write(recipe, to: "harbour.yaml")
            try submit.configure(
                """
                destinations:
                  harbour:
                    type: oauth-http
                    recipe: \(file)
                    place: \(place.endpoint.dropLast())
                    login: \(server)
                    insecure: true
                    client_id: \(login.confidentialClient)

                """)
        }

        func send(_ count: Int, seed: UInt64) async throws {
            let photos = try Photos.make(count, in: submit.folder, "photos-\(seed)", prefix: "IMG_\(seed)_", seed: seed)
            let outcome = try await submit.run(["--to", "harbour", "--json"] + photos)
            #expect(outcome.end == .exited(0), "\(outcome)")
            for photo in photos {
                let name = photo.split(separator: "/").last.map(String.init) ?? ""
                #expect(FileManager.default.contentsEqual(atPath: photo, andPath: "\(place.data)/\(name)"))
            }
        }

        func token() throws -> String {
            let lines = try submit.folder.text("config/submit/secrets.yaml").split(separator: "\n")
            let line = try #require(lines.first { $0.contains("  access_token: ") })
            return line.split(separator: " ").last.map { $0.trimmingCharacters(in: ["\"", "'"]) } ?? ""
        }

        func remove() async {
            await place.remove()
            await login.remove()
        }
    }

    @Test func `renews tokens that live two seconds, and logout makes them worthless`() async throws {
        let harbour = try await Harbour(tokenLife: 2, flow: "browser")
        let login = try await harbour.submit.login("harbour", "--browser") { try await harbour.login.grant($0.url) }
        #expect(login.end == .exited(0), "\(login)")
        let first = try harbour.token()
        try await harbour.send(3, seed: 1)
        // It has ended at the server before more is sent.
        while try await harbour.login.isActive(first) { try await Task.sleep(for: .milliseconds(100)) }
        try await harbour.send(3, seed: 2)
        let second = try harbour.token()
        #expect(second != first && !second.isEmpty)
        let logout = try await harbour.submit.run("logout", "harbour", "--json")
        #expect(logout.out.contains(#""revoked":true"#), "\(logout)")
        #expect(try await !harbour.login.isActive(second))
        await harbour.remove()
    }

    @Test func `waits until its code is typed on another device`() async throws {
        let harbour = try await Harbour(flow: "device")
        let login = try await harbour.submit.login("harbour", "--device") { prompt in
            try await harbour.login.approveDevice(
                try #require(prompt.code), client: harbour.login.confidentialClient)
            return nil
        }
        #expect(login.end == .exited(0), "\(login)")
        try await harbour.send(1, seed: 3)
        await harbour.remove()
    }

    @Test func `needs nobody where it is an account of its own`() async throws {
        let harbour = try await Harbour(tokenLife: 2, flow: "client")
        try await harbour.send(2, seed: 4)
        await harbour.remove()
    }
}

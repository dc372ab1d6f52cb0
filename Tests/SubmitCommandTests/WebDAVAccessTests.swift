import Foundation
import TestServers
import Testing

/// Who may use a WebDAV server.
@Suite(.fewAtOnce) struct `A WebDAV server that` {
    enum Access: String, CaseIterable {
        case basic, digest, bearer
    }

    @Test(arguments: Access.allCases)
    func `refuses who we are is asked once, and again when someone has acted`(access: Access) async throws {
        let token = "t0k3n-0f-th3-t3sts"
        let server = try await ApacheServer(
            access: access == .bearer ? .bearer(token) : access == .digest ? .digest : .basic)
        let place = WebDAVPlace(server, token: access == .bearer ? token : nil)
        let wrong = [access == .bearer ? "WEBDAV_TOKEN" : "WEBDAV_PASSWORD": Submit.secret]
        try Photos.make(12, in: place.submit.folder)
        let photos = place.submit.folder.path("photos")
        let refused = try await place.submit.run(
            ["--json", "--wait", "1", "--to", "file,webdav", photos], env: wrong)
        try refused.expectWaiting("credentials", "webdav", "127.0.0.1", access == .bearer ? "token" : "password")
        #expect(try await FolderDigests.of(place.submit.place) == FolderDigests.of(photos))
        #expect(try await place.digests().isEmpty)
        let still = try await place.submit.run(["resume", "--wait", "1"], env: wrong)
        #expect(still.end == .exited(3) && still.troubles.count == 1, "\(still)")
        for outcome in [refused, still] { #expect(!(outcome.out + outcome.err).contains(Submit.secret)) }
        #expect(place.submit.journalBytes().range(of: Data(Submit.secret.utf8)) == nil)

        try await server.stop()
        // Too many wrong passwords, and a server lets nobody in from here.
        let shown = try server.accessLog().filter { $0["Authorization-Scheme"] != nil }
        #expect((2...3).contains(shown.count) && shown.allSatisfy { $0.status == 401 }, "\(shown)")
        try await server.restart()
        let right = try await place.submit.run("resume", "--json")
        #expect(right.end == .exited(0), "\(right)")
        #expect(try await place.digests() == FolderDigests.of(photos))

        // It is changed there, and what is known of the server is still good.
        let count = try server.accessLog().count
        try Photos.make(12, in: place.submit.folder, "later", prefix: "LATER_", seed: 2)
        let changed = try await place.submit.run(
            ["--json", "--wait", "0", "--to", "webdav", place.submit.folder.path("later")], env: wrong)
        try changed.expectWaiting("credentials", "check or renew")
        try await server.stop()
        let late = try server.accessLog().dropFirst(count).filter {
            $0["Authorization-Scheme"] != nil && $0.status == 401
        }
        #expect((1...3).contains(late.count), "\(late)")
        await server.remove()
    }

    @Test func `has another password since is let in again once that is set`() async throws {
        let server = try await ApacheServer()
        let password = try #require(server.password)
        let submit = Submit()
        let photo = try Photos.make(1, in: submit.folder)[0]
        let added = try await submit.run(
            "destinations", "add", "nas", "--type", "webdav", "url=\(server.endpoint)", "user=\(server.user ?? "")")
        #expect(added.end == .exited(0) && added.out.contains("`submit secrets set nas`"), "\(added)")
        let wrong = try await submit.run(["secrets", "set", "nas", "--stdin"], input: "password=\(Submit.secret)\n")
        #expect(wrong.end == .exited(0), "\(wrong)")
        let refused = try await submit.run("--to", "nas", "--wait", "0", photo)
        #expect(
            refused.end == .exited(3) && (refused.out + refused.err).contains("`submit secrets set nas`"), "\(refused)")

        let right = try await submit.run(["secrets", "set", "nas", "--stdin"], input: "password=\(password)\n")
        #expect(right.end == .exited(0), "\(right)")
        #expect(try await submit.run("resume").end == .exited(0))

        let mode = try FileManager.default.attributesOfItem(atPath: submit.secrets)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let over = try await submit.run(
            ["secrets", "set", "nas", "--stdin"], env: ["SUBMIT_NAS_PASSWORD": "y"], input: "password=x\n")
        #expect(over.end == .exited(0) && over.err.contains("“SUBMIT_NAS_PASSWORD” goes before"), "\(over)")
        // What cannot be looked at was not refused a place.
        let audit = try await submit.run("audit", "nas")
        #expect(audit.end == .exited(3) && audit.out.contains("cannot tell"), "\(audit)")
        #expect(!audit.out.contains("was not stored"), "\(audit)")
        let gone = try await submit.run(["secrets", "set", "nas", "--stdin"], input: "password=\n")
        #expect(gone.end == .exited(0), "\(gone)")
        #expect(try !submit.folder.text("config/submit/secrets.yaml").contains("password"))
        await server.remove()
    }

    @Test(
        arguments: [
            (["nas"], nil, "no terminal"), (["nas", "--stdin"], "passwort=x\n", "did you mean"),
            (["nsa", "--stdin"], "", "“nas”"),
            (["file", "--stdin"], "", "no secrets"),
        ] as [([String], String?, String)])
    func `has no secret that is not one of its type`(_ arguments: [String], _ input: String?, _ words: String)
        async throws
    {
        let submit = Submit()
        try submit.configure("destinations:\n  nas:\n    type: webdav\n    url: http://127.0.0.1:9/\n    user: alice\n")
        let outcome = try await submit.run(["secrets", "set"] + arguments, input: input ?? "")
        #expect(outcome.end == .exited(2) && outcome.err.contains(words), "\(outcome)")
    }

    @Test func `is a Nextcloud signs in who opens its page, until they leave`() async throws {
        let cloud = try await CloudServer(options: ["--two-factor"])
        let submit = Submit(["SUBMIT_CLOUD_PARTS_ABOVE": "5MiB"])
        try submit.configure("destinations:\n  cloud:\n    type: webdav\n    url: \(cloud.endpoint)\n")
        var outcomes: [Outcome] = []
        func signIn() async throws -> Outcome {
            let running = try submit.start("login", "cloud", "--json")
            try await until { try running.output().contains("\"url\":") }
            struct Opening: Decodable { var url: String }
            let line = try running.output().split(separator: "\n").first ?? ""
            try await cloud.grantLogin(JSONDecoder().decode(Opening.self, from: Data(line.utf8)).url)
            let outcome = try await running.outcome()
            #expect(outcome.end == .exited(0), "\(outcome)")
            outcomes.append(outcome)
            return outcome
        }
        _ = try await signIn()
        let password = try #require(
            try submit.folder.text("config/submit/secrets.yaml").firstMatch(of: /password: *"?([A-Za-z0-9_-]+)/)?.1)

        try submit.folder.folder("photos")
        let large = try submit.folder.write(Photos.jpeg(12 << 20, seed: 3), to: "photos/large.jpg")
        let upload = "/remote.php/dav/uploads/\(cloud.userID)/"
        try await cloud.plan(.held("pieces").on("PUT", upload))
        let running = try submit.start("--json", "--to", "cloud", large)
        try await until { try await cloud.requests().contains { $0.method == "PUT" && $0.path.hasPrefix(upload) } }
        let processes = try await ChildProcess.output(of: ["ps", "-e", "-ww", "-o", "args="])
        #expect(processes.contains(large) && !processes.contains(password))
        try await cloud.release("pieces")
        let sent = try await running.outcome()
        #expect(sent.end == .exited(0), "\(sent)")
        let digest = try await FolderDigests.of(submit.folder.path("photos"))
        #expect(try await FolderDigests.of(cloud.data) == digest)
        outcomes.append(sent)

        let logout = try await submit.run("logout", "cloud", "--json")
        #expect(logout.lines == [#"{"destination":"cloud","forgotten":true,"revoked":true}"#], "\(logout)")
        #expect(try !submit.folder.text("config/submit/secrets.yaml").contains(password))
        #expect(try await status(cloud, password) == "401")

        let later = try Photos.make(3, in: submit.folder, "later", prefix: "LATER_")
        let waiting = try await submit.run(["--json", "--wait", "0", "--to", "cloud"] + later)
        #expect(waiting.end == .exited(3), "\(waiting)")
        let held = try waiting.events("on-hold")
        #expect(!held.isEmpty && held.allSatisfy { $0.code == "signed-out" }, "\(waiting)")
        #expect(held.first?.message?.contains("`submit login cloud`") ?? false, "\(waiting)")
        #expect(try await signIn().out.contains("\"waiting\":3"))
        let resumed = try await submit.run("resume", "--json")
        #expect(resumed.end == .exited(0), "\(resumed)")
        #expect(try await FolderDigests.of(cloud.data).count == 4)

        outcomes += [logout, waiting, resumed]
        let second = try #require(
            try submit.folder.text("config/submit/secrets.yaml").firstMatch(of: /password: *"?([A-Za-z0-9_-]+)/)?.1)
        for secret in [password, second] {
            for outcome in outcomes { #expect(!(outcome.out + outcome.err).contains(secret)) }
            #expect(try !submit.folder.text("config/submit/config.yaml").contains(secret))
            #expect(submit.journalBytes().range(of: Data(secret.utf8)) == nil)
        }
        await cloud.remove()
    }

    /// What the cloud answers whoever has this password.
    private func status(_ cloud: CloudServer, _ password: some StringProtocol) async throws -> String {
        try await ChildProcess.output(
            of: [
                "curl", "-s", "--noproxy", "*", "--max-time", "30", "-u", "\(cloud.user):\(password)", "-o",
                "/dev/null", "-w",
                "%{http_code}", "-X", "PROPFIND", "-H", "Depth: 0", "\(cloud.filesURL)/",
            ])
    }
}

/// `submit destinations check` of WebDAV servers.
@Suite(.fewAtOnce) struct `A WebDAV server that is checked` {
    @Test func `says who it is and what it does`() async throws {
        let sabre = try await SabreServer()
        let cloud = try await CloudServer()
        let places: [(WebDAVPlace, [String])] = [
            (WebDAVPlace(try await WebDAVPlace.nginx()), ["It is nginx at", "only whole"]),
            (WebDAVPlace(try await WebDAVPlace.apache()), ["It is Apache at", "piece by piece (Content-Range)"]),
            (
                WebDAVPlace(sabre.endpoint, root: sabre.data, user: sabre.user, password: sabre.password),
                ["It is SabreDAV at", "piece by piece (PATCH)"]
            ),
            (WebDAVPlace(cloud), ["It is Nextcloud at", "in pieces", "by a digest"]),
        ]
        for (place, words) in places {
            let check = try await place.submit.run("destinations", "check", "webdav")
            #expect(check.end == .exited(0) && check.lines.count == 1 && check.err == "", "\(check)")
            for word in words + [place.folder] { #expect(check.out.contains(word), "\(check)") }
            // SabreDAV keeps the properties of what was there.
            let left = try await place.digests().keys.filter { $0 != ".sabredav" }
            #expect(left.isEmpty, "\(check)")
            let wrong = try await place.submit.run(
                ["destinations", "check", "--json", "webdav"], env: ["WEBDAV_PASSWORD": Submit.secret])
            #expect(wrong.end == .exited(1) && wrong.out.contains("\"ready\":false"), "\(wrong)")
            #expect(wrong.out.contains("password") && !(wrong.out + wrong.err).contains(Submit.secret), "\(wrong)")
        }
        await sabre.remove()
        await cloud.remove()
    }

    @Test func `is found out about anew`() async throws {
        let server = try await CloudServer(.plain)
        let place = WebDAVPlace(server.endpoint, root: server.data, user: server.user, password: server.password)
        let path = try Photos.make(1, in: place.submit.folder)[0]
        #expect(try await place.submit.run("--to", "webdav", path).end == .exited(0))
        try await server.change(.quirks([.noMove]))
        let check = try await place.submit.run("destinations", "check", "webdav")
        #expect(check.end == .exited(0) && check.out.contains("moves no files"), "\(check)")
        // What it found is what the next process goes by.
        try await server.forgetRequests()
        let later = try Photos.make(1, in: place.submit.folder, "later", prefix: "LATER_", seed: 2)[0]
        let outcome = try await place.submit.run("--to", "webdav", later)
        #expect(outcome.end == .exited(0), "\(outcome)")
        let requests = try await server.requests()
        #expect(!requests.contains { $0.method == "MOVE" || $0.method == "OPTIONS" }, "\(requests.map(\.method))")
        #expect(try await place.digests().count == 2)
        await server.remove()
    }
}

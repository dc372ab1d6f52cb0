import Foundation
import TestServers
import Testing

/// A Nextcloud's login on a loopback port, and a `submit` whose destination `cloud` is there.
private final class Cloud: Sendable {
    let server: ScriptedServer
    let submit = Submit()
    let requests: Captured
    private let polls: AsyncStream<Void>

    static let token = "p0ll-t0k3n-0f-th3-t3sts"
    static let password = "4pp-p4ssw0rd-0f-th3-t3sts"

    /// - Parameter isIn: whether the person has signed in, asked at each look.
    init(isIn: @escaping @Sendable (_ folder: String) -> Bool) throws {
        let (requests, folder) = (Captured(), submit.folder.path)
        let (polls, poll) = AsyncStream.makeStream(of: Void.self)
        server = .answering { request in
            requests.add(request)
            let base = "http://\(request["Host"] ?? "")/nextcloud/index.php/login/v2"
            switch "\(request.method) \(request.target)" {
            case "POST /nextcloud/index.php/login/v2":
                return ScriptedServer.answer(
                    200, ["Content-Type: application/json"],
                    #"{"poll":{"token":"\#(Cloud.token)","endpoint":"\#(base)/poll"},"login":"\#(base)/flow/PAGE"}"#)
            case "POST /nextcloud/index.php/login/v2/poll":
                defer { poll.yield() }
                guard String(decoding: request.body, as: UTF8.self) == "token=\(Cloud.token)", isIn(folder) else {
                    return ScriptedServer.answer(404, [], "[]")
                }
                return ScriptedServer.answer(
                    200, [], #"{"server":"http://x","loginName":"alice","appPassword":"\#(Cloud.password)"}"#)
            case "DELETE /nextcloud/ocs/v2.php/core/apppassword":
                return ScriptedServer.answer(200, [], "{}")
            default: return ScriptedServer.answer(405)
            }
        }
        self.requests = requests
        self.polls = polls
        try submit.configure(
            "destinations:\n  cloud:\n    type: webdav\n    url: \(server.endpoint)/nextcloud/remote.php/dav/files/alice\n"
        )
    }

    /// Returns when it has been asked whether the person has signed in.
    func asked() async {
        for await _ in polls { break }
    }

    var page: String { "\(server.endpoint)/nextcloud/index.php/login/v2/flow/PAGE" }

    /// Neither the password nor the token, with which anyone could have had it.
    func expectSecrecy(_ outcome: Outcome, _ location: SourceLocation = #_sourceLocation) throws {
        let configuration = try submit.folder.text("config/submit/config.yaml")
        for secret in [Self.token, Self.password] {
            for text in [outcome.out, outcome.err, configuration] {
                #expect(!text.contains(secret), "\(outcome)", sourceLocation: location)
            }
            #expect(submit.journalBytes().range(of: Data(secret.utf8)) == nil, sourceLocation: location)
        }
    }
}

@Suite(.fewAtOnce) struct `submit login at a Nextcloud` {
    @Test func `keeps an app password, which logout deletes`() async throws {
        let cloud = try Cloud { _ in true }
        let outcome = try await cloud.submit.run("login", "cloud")
        #expect(outcome.end == .exited(0) && outcome.err == "", "\(outcome)")
        #expect(outcome.out.contains(cloud.page) && outcome.out.contains("“alice” is signed in at cloud"), "\(outcome)")
        #expect(cloud.requests.all.first?["User-Agent"]?.hasPrefix("submit on ") == true)
        #expect(try cloud.submit.folder.text("config/submit/secrets.yaml").contains(Cloud.password))
        try cloud.expectSecrecy(outcome)
        let list = try await cloud.submit.run("destinations", "list")
        #expect(list.out.contains("user=alice") && list.out.contains("password=…"), "\(list)")

        let logout = try await cloud.submit.run("logout", "cloud", "--json")
        #expect(logout.end == .exited(0), "\(logout)")
        #expect(logout.lines == [#"{"destination":"cloud","forgotten":true,"revoked":true}"#], "\(logout)")
        let basic = Data("alice:\(Cloud.password)".utf8).base64EncodedString()
        #expect(cloud.requests.all.last?["Authorization"] == "Basic \(basic)")
        #expect(try !cloud.submit.folder.text("config/submit/secrets.yaml").contains(Cloud.password))
        try cloud.expectSecrecy(logout)

        // The user stays, and what is waiting waits for someone to sign in again.
        let photo = try Photos.make(1, in: cloud.submit.folder)[0]
        let waiting = try await cloud.submit.run(["--wait", "0", "--to", "cloud", photo])
        #expect(waiting.end == .exited(3) && waiting.out.contains("`submit login cloud`"), "\(waiting)")
        #expect(try await cloud.submit.run("status", "--json").out.contains(#""reason":"credentials""#))
        let again = try await cloud.submit.run("login", "cloud")
        #expect(again.end == .exited(0) && again.out.contains("1 submission waiting for cloud"), "\(again)")
        #expect(try await !cloud.submit.run("status", "--json").out.contains(#""reason":"credentials""#))
        try cloud.expectSecrecy(again)
    }

    @Test func `says at once which page to open, shows no secret among the processes, and ends with Ctrl-C`()
        async throws
    {
        let cloud = try Cloud { _ in false }
        let running = try cloud.submit.start("login", "cloud", "--json")
        await cloud.asked()
        #expect(try running.output().contains("\"url\":\"\(cloud.page)\""))
        let processes = try await ChildProcess.output(of: ["ps", "-e", "-ww", "-o", "args="])
        #expect(processes.contains("login cloud") && !processes.contains(Cloud.token))
        kill(running.child.pid, SIGINT)
        let outcome = try await running.outcome()
        #expect(outcome.end == .exited(130), "\(outcome)")
        #expect(outcome.troubles == ["submit: interrupted; nothing has changed."], "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: cloud.submit.secrets))
        try cloud.expectSecrecy(outcome)
    }

    @Test func `ends when nobody signs in in time`() async throws {
        let cloud = try Cloud { _ in false }
        let outcome = try await cloud.submit.run("login", "cloud", "--wait", "0")
        #expect(outcome.end == .exited(1) && outcome.troubles.count == 1, "\(outcome)")
        #expect(outcome.err.contains("Nobody signed in at “cloud” in time"), "\(outcome)")
    }

    @Test func `opens the page where there is a desktop, and nowhere else`() async throws {
        // The person signs in as soon as the browser shows the page.
        let cloud = try Cloud { FileManager.default.fileExists(atPath: "\($0)/opened") }
        try cloud.submit.folder.folder("bin")
        let browser = try cloud.submit.folder.write(
            "#!/bin/sh\necho \"$@\" >'\(cloud.submit.folder.path("opened"))'\n", to: "bin/xdg-open")
        chmod(browser, 0o755)
        let path = "\(cloud.submit.folder.path("bin")):\(cloud.submit.environment["PATH"] ?? "")"
        let desktop = ["DISPLAY": ":0", "PATH": path, "TERM": "xterm"]
        func onTerminal(_ options: String, _ environment: [String: String]) async throws -> Outcome {
            try await RunningSubmit(
                ["script", "-qec", "'\(Submit.program)' login cloud \(options)", "/dev/null"],
                environment: cloud.submit.environment.merging(environment) { $1 }, input: nil, in: nil
            ).outcome()
        }
        for (options, environment) in [("--no-browser --wait 0", desktop), ("--wait 0", ["PATH": path])] {
            #expect(try await onTerminal(options, environment).end == .exited(1))
        }
        // Standard output is no terminal here.
        #expect(try await cloud.submit.run("login", "cloud", "--wait", "0", env: desktop).end == .exited(1))
        #expect(try cloud.submit.folder.text("opened") == "")
        let outcome = try await onTerminal("", desktop)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try cloud.submit.folder.text("opened") == cloud.page + "\n")
        try cloud.expectSecrecy(outcome)
    }

    @Test func `is refused by a server that is none, with what to do`() async throws {
        let server = ScriptedServer.answering { _ in ScriptedServer.answer(404, ["Content-Type: text/html"], "no") }
        let submit = Submit()
        try submit.configure("destinations:\n  cloud:\n    type: webdav\n    url: \(server.endpoint)/dav\n")
        let outcome = try await submit.run("login", "cloud")
        #expect(outcome.end == .exited(1) && outcome.troubles.count == 1 && outcome.out == "", "\(outcome)")
        #expect(outcome.err.contains("\(server.endpoint)/dav answered 404, as no Nextcloud does"), "\(outcome)")
    }
}

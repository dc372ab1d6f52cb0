import Foundation
import TestServers
import Testing

/// The fake clouds do what tests rely on.
@Suite
struct CloudServerTests {
    let folder = TemporaryFolder()

    func curl(_ server: CloudServer, _ arguments: String...) async throws -> String {
        try await ChildProcess.output(
            of: [
                "curl", "-s", "--noproxy", "*", "--max-time", "30", "-u", "\(server.user):\(server.appPassword)", "-H",
                "Expect:", "-o", "/dev/null", "-w", "%{http_code}",
            ] + arguments)
    }

    @Test(arguments: CloudServer.Kind.allCases)
    func `what is put arrives, is counted and is seen`(kind: CloudServer.Kind) async throws {
        let server = try await CloudServer(kind)
        let photo = try folder.write("a photo", to: "a.jpg")
        #expect(try await curl(server, "-T", photo, "\(server.filesURL)/a%20b.jpg") == "201")
        #expect(try String(contentsOfFile: server.data + "/a b.jpg", encoding: .utf8) == "a photo")
        #expect(try await server.bytesTaken() == 7)
        let request = try #require(try await server.requests().last)
        #expect(request.method == "PUT" && request.status == 201 && request.bodyBytes == 7)
        #expect(request["authorization"] == "Basic")
        try await server.stop()
        try await server.restart()
        #expect(try await curl(server, "-I", "\(server.filesURL)/a%20b.jpg") == "200")
        await server.remove()
    }

    @Test
    func `planned faults strike in turn and settings hold`() async throws {
        let server = try await CloudServer(.plain)
        let photo = try folder.write("a photo", to: "a.jpg")
        let url = "\(server.filesURL)/a.jpg"
        try await server.plan(
            .tooManyRequests(retryAfter: 3).on("PUT", "jpg$"), .doneButAnswer(504).on("PUT"),
            .answer(418).on("GET", skip: 1, times: 0))
        #expect(try await curl(server, "-T", photo, url) == "429")
        #expect(!FileManager.default.fileExists(atPath: server.data + "/a.jpg"))
        #expect(try await curl(server, "-T", photo, url) == "504")
        #expect(FileManager.default.fileExists(atPath: server.data + "/a.jpg"))
        #expect(try await curl(server, url) == "200")
        #expect(try await curl(server, url) == "418")
        #expect(try await server.openFaults() == 1)
        try await server.clearPlan()
        try await server.change(.quirks([.ignoresPreconditions]))
        #expect(try await curl(server, "-T", photo, "-H", "If-None-Match: *", url) == "204")
        try await server.change(.quota(10))
        #expect(try await curl(server, "-T", photo, "\(server.filesURL)/b.jpg") == "507")
        try await server.lock("a.jpg", times: 1)
        #expect(try await curl(server, "-T", photo, url) == "423")
        #expect(try await curl(server, "-X", "DELETE", url) == "204")
        await server.remove()
    }

    @Test
    func `a granted login is handed out once and signs in`() async throws {
        struct Flow: Decodable {
            struct Poll: Decodable { let token: String, endpoint: String }
            let poll: Poll, login: String
        }
        struct Granted: Decodable { let loginName: String, appPassword: String }
        let server = try await CloudServer(options: ["--two-factor"])
        let plain = ["curl", "-s", "--noproxy", "*", "--max-time", "30", "-X", "POST"]
        let begun = try await ChildProcess.output(of: plain + ["\(server.endpoint)/index.php/login/v2"])
        let flow = try JSONDecoder().decode(Flow.self, from: Data(begun.utf8))
        let poll = plain + ["-d", "token=\(flow.poll.token)", flow.poll.endpoint]
        #expect(try await ChildProcess.output(of: poll) == "[]")
        try await server.grantLogin(flow.login)
        let answer = try await ChildProcess.output(of: poll)
        let granted = try JSONDecoder().decode(Granted.self, from: Data(answer.utf8))
        #expect(try await ChildProcess.output(of: poll) == "[]")
        let folder = ["-X", "PROPFIND", "\(server.filesURL)/", "-u"]
        let password = "\(server.user):\(server.password)"
        #expect(try await curl(server, folder[0], folder[1], folder[2], folder[3], password) == "401")
        let appPassword = "\(granted.loginName):\(granted.appPassword)"
        #expect(try await curl(server, folder[0], folder[1], folder[2], folder[3], appPassword) == "207")
        try await server.revokeAppPasswords()
        #expect(try await curl(server, folder[0], folder[1], folder[2], folder[3], appPassword) == "401")
        await server.remove()
    }

    @Test
    func `an upload in chunks is assembled while the client is told to wait`() async throws {
        let server = try await CloudServer(options: ["--chunk-min", "4", "--assembly-requests", "1"])
        let target = "Destination: \(server.filesURL)/v.mp4"
        let upload = "\(server.endpoint)/remote.php/dav/uploads/\(server.userID)/u"
        #expect(try await curl(server, "-X", "MKCOL", "-H", target, upload) == "201")
        for (number, text) in ["2": "b", "1": "aaaa"] {
            let chunk = try folder.write(text, to: number)
            #expect(try await curl(server, "-T", chunk, "-H", target, "\(upload)/0000\(number)") == "201")
        }
        let move = ["-X", "MOVE", "-H", target, "\(upload)/.file"]
        #expect(try await curl(server, move[0], move[1], move[2], move[3], move[4]) == "504")
        #expect(!FileManager.default.fileExists(atPath: server.data + "/v.mp4"))
        #expect(try await curl(server, move[0], move[1], move[2], move[3], move[4]) == "423")
        #expect(try await curl(server, move[0], move[1], move[2], move[3], move[4]) == "404")
        #expect(try String(contentsOfFile: server.data + "/v.mp4", encoding: .utf8) == "aaaab")
        await server.remove()
    }
}

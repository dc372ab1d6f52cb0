import Foundation
import TestServers
import Testing

/// What is hard on recipes: many at once, and kills.
@Suite(.fewAtOnce) struct `Uploads by a recipe` {
    @Test func `fifty at once renew their token once when it ends, and all arrive`() async throws {
        let place = try await RecipePlace(.imgur, ["jobs": "50"]) {
            $0.replacing("parallel: 2\n", with: "parallel: 50\n")
        }
        try place.signIn()
        let photos = try Photos.make(50, in: place.submit.folder)
        try await place.server.plan(.held("middle").at("image", times: 50))
        let process = try place.submit.start(["--to", "photos", "--json"] + photos)
        // All have shown the token that is about to end.
        while try await place.server.openFaults() > 0, process.child.isRunning {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await place.server.expireTokens()
        try await place.server.release("middle")
        let outcome = try await process.outcome(within: 120)
        #expect(outcome.end == .exited(0), "\(outcome)")
        let requests = try await place.server.requests()
        #expect(requests.filter { $0.step == "token" }.count == 1)
        // Imgur says 403 to a token that has ended.
        #expect(requests.filter { $0.step == "image" && $0.status == 403 }.count == 50)
        #expect(requests.filter { $0.step == "image" && $0.status == 200 }.count == 50)
        let listed = try await place.submit.list()
        #expect(listed.allSatisfy { $0.state == "done" && $0.tries == 1 })
        let seen = try await place.seen()
        #expect(Set(seen) == Set(listed.map(\.item.sha256)) && seen.count == 50)
        try place.expectSecrecy(outcome)
    }

    /// What a login finds out.
    private static let settings: [ServiceServer.Service: [String: String]] = [
        .x: ["account_id": "14715", "account_name": "alice"], .pixelfed: ["account_id": "14715"],
    ]

    /// A request is at the service when `submit` is killed, which does it afterwards or never does: at each request in
    /// turn. It is asked for again, by then by another process.
    @Test(arguments: [ServiceServer.Service.x, .dropbox, .pixelfed, .tumblr], [true, false])
    func `that are killed between any two steps arrive once`(service: ServiceServer.Service, isDone: Bool) async throws
    {
        // Dropbox's pieces are multiples of 4 MiB.
        let place = try await RecipePlace(service, Self.settings[service] ?? [:]) {
            $0.replacing("16MiB", with: "4MiB")
        }
        try place.signIn()
        // X and Dropbox take a video in pieces; what comes last is a post, or puts the pieces together.
        let isVideo = [.x, .dropbox].contains(service)
        let size = service == .dropbox ? 5 << 20 : isVideo ? 2_500_000 : 5000
        var kills = 0
        for number in 0... {
            let bytes = isVideo ? Self.video(size, seed: UInt64(number)) : Photos.jpeg(size, seed: UInt64(number))
            let path = try place.submit.folder.write(bytes, to: "item-\(number).\(isVideo ? "mp4" : "jpg")")
            let before = try await place.seen()
            let fault = isDone ? CloudFault.held("kill-\(number)") : .heldAndRefused("kill-\(number)")
            try await place.server.plan(fault.on("*", skip: number))
            let process = try place.submit.start(["--to", "photos", "--json", path])
            while try await place.server.openFaults() > 0, process.child.isRunning {
                try await Task.sleep(for: .milliseconds(10))
            }
            let isStruck = try await place.server.openFaults() == 0
            if isStruck {
                kills += 1
                process.child.signal(SIGKILL)
                _ = try await process.outcome()
                try await place.server.release("kill-\(number)")
            } else {
                try await place.server.clearPlan()
                _ = try await process.outcome()
            }
            let resume = try await place.submit.run(["resume", "--json"], within: 120)
            #expect(resume.end == .exited(0), "kill at request \(number): \(resume)")
            let submission = try #require(try await place.submit.list().first { $0.item.path == path })
            #expect(submission.state == "done", "kill at request \(number): \(submission)")
            let seen = try await place.seen()
            #expect(Set(seen) == Set(before + [submission.item.sha256]), "kill at request \(number)")
            #expect(seen.count == before.count + 1, "kill at request \(number)")
            if !isStruck { break }
        }
        #expect(kills >= (isVideo ? 4 : 1))
        #expect(try await place.server.state().sessions <= kills)
    }

    private static func video(_ count: Int, seed: UInt64) -> [UInt8] {
        [0, 0, 0, 0x18] + Array("ftypmp42".utf8) + [0, 0, 0, 0] + Array("mp42isom".utf8)
            + Photos.jpeg(count - 24, seed: seed)
    }
}

import Foundation
import TestServers
import Testing

/// A WebDAV server that ends, fills up or is left in the midst of it all.
@Suite(.fewAtOnce) struct `A WebDAV server` {
    private static let part: Int64 = 1 << 20
    private static let size = 6 * part + 12345
    private static let parts = ["SUBMIT_WEBDAV_PARTS_ABOVE": "1MiB", "SUBMIT_WEBDAV_PART_SIZE": "1MiB"]

    @Test func `that ends half-way gets the rest when it is back`() async throws {
        let server = try await NginxDAVServer()
        let place = WebDAVPlace(server)
        let files = 400
        try Photos.make(files, in: place.submit.folder, sizes: 20_000...40_000)
        let photos = place.submit.folder.path("photos")
        let running = try place.submit.start("--json", "--wait", "1", "--jobs", "1", "--to", "file,webdav", photos)
        // Frozen, so that nothing more arrives while the server takes its time to stop.
        await running.freeze { output in output.contains("\"destination\":\"webdav\",\"event\":\"done\"") }
        try await server.stop()
        running.child.signal(SIGCONT)
        let broken = try await running.outcome()
        try broken.expectWaiting("cannot-connect", "cannot be reached")
        let sent = try await place.submit.list("--to", "webdav").filter { $0.state == "done" }.count
        #expect((1..<files).contains(sent))
        #expect(try await FolderDigests.of(place.submit.place) == FolderDigests.of(photos))
        let again = try await place.submit.run("resume", "--wait", "0")
        #expect(again.end == .exited(3), "\(again)")
        #expect(again.lines.contains { $0.hasPrefix("webdav: ") && $0.contains("\(files - sent) waiting") }, "\(again)")

        let before = try server.accessLog().count
        try await server.restart()
        let back = try await place.submit.run("resume", "--json")
        #expect(back.end == .exited(0), "\(back)")
        #expect(try back.events("done").count == files - sent)
        #expect(try await place.digests() == FolderDigests.of(photos))
        try await server.stop()
        let puts = try server.accessLog().dropFirst(before).count { $0.method == "PUT" }
        #expect(puts <= files - sent, "\(puts) were sent for \(files - sent)")
        await server.remove()
    }

    @Test func `that ends in a large file goes on where it stood`() async throws {
        let server = try await ApacheServer()
        let proxy = CountingProxy(to: URL(string: server.endpoint)?.port ?? 0)
        let place = WebDAVPlace(server, by: proxy, Self.parts)
        let path = try place.submit.folder.write(Photos.jpeg(Int(Self.size), seed: 7), to: "large.jpg")
        let before = try await place.settle(proxy)
        let stop = before + 3 * Self.part + Self.part / 2
        proxy.stop(at: stop)
        let running = try place.submit.start("--json", "--wait", "0", "--to", "webdav", path)
        try await until { proxy.bytes >= stop }
        try await server.stop()
        proxy.goOn()
        let broken = try await running.outcome()
        #expect(broken.end == .exited(3), "\(broken)")
        try await server.restart()
        let back = try await place.submit.run("resume", "--json")
        #expect(back.end == .exited(0), "\(back)")
        #expect(proxy.bytes - before <= Self.size + Self.part, "\(proxy.puts)")
        try await expectOnly(path, at: place)
        await server.remove()
    }

    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() })
    func `whose disk is full waits for room`() async throws {
        let disk = try await SmallDisk.mount("1m")
        let server = try await ApacheServer(disk: disk)
        let place = WebDAVPlace(
            try #require(server.fullEndpoint), root: disk.path, user: server.user, password: server.password)
        let paths = try Photos.make(6, in: place.submit.folder, sizes: 200_000...250_000)
        let photos = place.submit.folder.path("photos")
        #expect(try await place.submit.run("destinations", "check", "webdav").end == .exited(0))
        try disk.fill(sparing: 600_000)
        let full = try await place.submit.run(["--json", "--wait", "0", "--to", "file,webdav", photos])
        try full.expectWaiting("full", "make some room there", "“IMG_", "needs 2")
        #expect(try await FolderDigests.of(place.submit.place) == FolderDigests.of(photos))
        let originals = try await FolderDigests.of(photos)
        let stored = try await place.digests()
        #expect(stored.allSatisfy { originals[$0.key] == $0.value } && stored.count < paths.count, "\(stored)")

        try FileManager.default.removeItem(atPath: disk.path + "/filler")
        // Six times 250 kB are still more than a megabyte: what arrived goes elsewhere.
        for name in stored.keys { try FileManager.default.removeItem(atPath: "\(place.data)/\(name)") }
        var missing = originals.filter { stored[$0.key] == nil }
        for _ in 0..<3 where !missing.isEmpty {
            let back = try await place.submit.run("resume", "--wait", "0")
            let arrived = try await place.digests()
            #expect(arrived.allSatisfy { missing[$0.key] == $0.value } && !arrived.isEmpty, "\(back) \(arrived)")
            for name in arrived.keys { try FileManager.default.removeItem(atPath: "\(place.data)/\(name)") }
            missing = missing.filter { arrived[$0.key] == nil }
            #expect(back.end == .exited(missing.isEmpty ? 0 : 3), "\(back)")
        }
        #expect(missing.isEmpty, "\(missing)")
        await server.remove()
    }

    /// A server that keeps what it has of a large file, a proxy before it, and a place there.
    private func large(isCloud: Bool) async throws -> (proxy: CountingProxy, place: WebDAVPlace, cloud: CloudServer?) {
        if isCloud {
            let cloud = try await CloudServer()
            let proxy = CountingProxy(to: cloud.port)
            let parts = ["SUBMIT_WEBDAV_PARTS_ABOVE": "5MiB", "SUBMIT_WEBDAV_PART_SIZE": "5MiB"]
            return (proxy, WebDAVPlace(cloud, by: proxy, parts), cloud)
        }
        let server = try await WebDAVPlace.apache()
        let proxy = CountingProxy(to: URL(string: server.endpoint)?.port ?? 0)
        return (proxy, WebDAVPlace(server, by: proxy, Self.parts), nil)
    }

    @Test(arguments: [false, true])
    func `keeps nothing of a large file that is cancelled`(isCloud: Bool) async throws {
        let (proxy, place, cloud) = try await large(isCloud: isCloud)
        // Pieces are larger there: five megabytes at least.
        let count = isCloud ? 4 * (5 << 20) : Self.size
        let path = try place.submit.folder.write(Photos.jpeg(Int(count), seed: 8), to: "large.jpg")
        let stop = try await place.settle(proxy) + count / 2
        proxy.stop(at: stop)
        let running = try place.submit.start("--json", "--wait", "0", "--to", "webdav", path)
        try await until { proxy.bytes >= stop }
        let cancel = try await place.submit.run("cancel", "--all")
        #expect(cancel.end == .exited(0), "\(cancel)")
        try await until { try await place.submit.list().first?.state == "cancelled" }
        proxy.goOn()
        let outcome = try await running.outcome()
        #expect(outcome.end == .exited(4), "\(outcome)")
        #expect(try await place.digests().isEmpty)
        if let cloud { #expect(try FileManager.default.subpathsOfDirectory(atPath: cloud.uploads).isEmpty) }
        await cloud?.remove()
    }

    /// Starts to send a large file and kills that when most of it is there.
    private func killed(at place: WebDAVPlace, by proxy: CountingProxy, _ count: Int64) async throws -> String {
        let path = try place.submit.folder.write(Photos.jpeg(Int(count), seed: 9), to: "large.jpg")
        let stop = try await place.settle(proxy) + count * 7 / 8
        proxy.stop(at: stop)
        let running = try place.submit.start("--json", "--wait", "0", "--to", "webdav", path)
        try await until { proxy.bytes >= stop }
        running.child.signal(SIGKILL)
        _ = try await running.outcome()
        proxy.goOn()
        return path
    }

    @Test func `is cleaned by another computer of what a killed process left`() async throws {
        let (proxy, place, _) = try await large(isCloud: false)
        let path = try await killed(at: place, by: proxy, Self.size)
        #expect(try await place.remnants().count == 1)
        // It is still waiting here.
        let spared = try await place.submit.run("cleanup", "webdav", "--older-than", "0s")
        #expect(spared.end == .exited(0) && spared.out.contains("0 incomplete uploads removed"), "\(spared)")
        let other = place.another()
        let young = try await other.run("cleanup", "webdav")
        #expect(young.end == .exited(0) && young.out.contains("0 incomplete uploads removed"), "\(young)")
        #expect(young.out.contains("1 incomplete upload stays: it is younger than 1d"), "\(young)")
        #expect(young.out.contains("submit cleanup webdav --older-than 0s"), "\(young)")
        #expect(try await place.remnants().count == 1)
        let found = try await other.run("cleanup", "webdav", "--older-than", "0s")
        #expect(found.end == .exited(0) && found.out.contains("1 incomplete upload removed"), "\(found)")
        #expect(try await place.digests().isEmpty)
        // What it owes it begins anew.
        let resumed = try await place.submit.run("resume", "--json")
        #expect(resumed.end == .exited(0), "\(resumed)")
        try await expectOnly(path, at: place)
    }

    @Test(arguments: [false, true])
    func `keeps nothing of what was killed, and is cancelled then`(isCloud: Bool) async throws {
        let (proxy, place, cloud) = try await large(isCloud: isCloud)
        _ = try await killed(at: place, by: proxy, isCloud ? 4 * (5 << 20) : Self.size)
        func remnants() async throws -> [String] {
            let pieces = try cloud.map { try FileManager.default.subpathsOfDirectory(atPath: $0.uploads) } ?? []
            return try await place.digests().keys + pieces
        }
        #expect(try await !remnants().isEmpty)
        let cancel = try await place.submit.run("cancel", "--all")
        #expect(cancel.end == .exited(0) && cancel.out.contains("1 submission cancelled."), "\(cancel)")
        let resumed = try await place.submit.run("resume")
        let left = try await remnants()
        #expect(left.isEmpty, "\(left) \(resumed)")
        await cloud?.remove()
    }

    /// The file is there, and nothing else.
    private func expectOnly(_ path: String, at place: WebDAVPlace) async throws {
        let digest = try await ChildProcess.output(of: ["sha256sum", path]).prefix { $0 != " " }
        #expect(try await place.digests() == ["large.jpg": String(digest)])
        #expect(try await place.submit.list().map(\.state) == ["done"])
    }
}

import Foundation
import TestServers
import Testing

/// The whole way of photos to a WebDAV server.
@Suite(.fewAtOnce) struct `A folder at a WebDAV server` {
    @Test func `gets photos once, and nothing of them a second time`() async throws {
        let server = try await NginxDAVServer()
        let place = WebDAVPlace(server)
        let samples = Photos.samples
        let outcome = try await place.submit.run(
            ["--json", "--to", "file,webdav", "--album", "Sommer 2024/am Meer"] + samples)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try outcome.events("done").count == 2 * samples.count)
        let originals = try await FolderDigests.of(place.submit.place).values.sorted()
        #expect(originals.count == samples.count)
        let there = try await place.digests()
        #expect(there.values.sorted() == originals)
        #expect(there.keys.allSatisfy { $0.hasPrefix("Sommer 2024/am Meer/") }, "\(there)")
        for submission in try await place.submit.list("--to", "webdav") {
            // nginx tells no more than the size.
            #expect(submission.state == "done" && submission.evidence == "size", "\(submission)")
            #expect(submission.remote_id == "Sommer 2024/am Meer/\(submission.item.name)", "\(submission)")
            #expect(submission.was_there == false && submission.tries == 1, "\(submission)")
        }

        // Another computer, that knows nothing of it.
        let other = place.another()
        let second = try await other.run(["--to", "webdav", "--album", "Sommer 2024/am Meer"] + samples)
        #expect(second.end == .exited(0), "\(second)")
        for submission in try await other.list() {
            #expect(submission.state == "done" && submission.was_there == true, "\(submission)")
        }
        #expect(try await place.digests() == there)
        try await server.stop()
        // What tries the server out lies beside the album.
        let requests = try server.accessLog().filter { $0.target.contains("Sommer") }
        let puts = requests.filter { $0.method == "PUT" }
        #expect(puts.count == samples.count && puts.allSatisfy { $0.status == 201 }, "\(puts)")
        let first = requests.lastIndex { $0.method == "PUT" || $0.method == "MOVE" }.map { $0 + 1 } ?? 0
        #expect(first <= 3 * samples.count + 6, "\(requests.map { "\($0.method) \($0.target)" })")
        // What is there has to be read, since nginx tells no digest.
        let again = requests.dropFirst(first).drop { $0.method == "DELETE" }
        #expect(again.count <= 2 * samples.count + 6, "\(again.map { "\($0.method) \($0.target)" })")
        await server.remove()
    }

    @Test func `of which each file is read again counts as verified`() async throws {
        let place = WebDAVPlace(try await WebDAVPlace.nginx(), ["SUBMIT_WEBDAV_VERIFY": "readback"])
        let paths = try Photos.make(3, in: place.submit.folder)
        let outcome = try await place.submit.run(["--to", "webdav"] + paths)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try await place.submit.list().map(\.evidence) == ["verified", "verified", "verified"])
    }

    @Test(arguments: [true, false])
    func `gets the same photos from two processes once`(isOneComputer: Bool) async throws {
        let place = WebDAVPlace(try await WebDAVPlace.nginx())
        try Photos.make(30, in: place.submit.folder)
        let photos = place.submit.folder.path("photos")
        let homes = [place.submit, isOneComputer ? place.submit : place.another()]
        let processes = try homes.map { try $0.start("--to", "webdav", photos) }
        for process in processes {
            let outcome = try await process.outcome()
            #expect(outcome.end == .exited(0) || isOneComputer && outcome.end == .exited(3), "\(outcome)")
            // nginx answers 500 where a folder goes while it is listed: then it is asked again.
            #expect(outcome.troubles.allSatisfy { $0.hasPrefix("waiting: ") && $0.contains(" 500 ") }, "\(outcome)")
        }
        for submission in try await homes[0].list() + homes[1].list() {
            #expect(submission.state == "done", "\(submission)")
        }
        #expect(try await place.digests() == FolderDigests.of(photos))
    }
}

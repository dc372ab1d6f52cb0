import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `Many small items at once` {
    private let all = (0..<60).map { ScriptedBytes(ScriptedBytes.content(count: 500 + $0, seed: UInt64($0 + 1))) }

    /// As many at once as the submitter takes.
    ///
    /// - Parameter areNew: none of them was there before.
    private func submitAll(_ submitter: WebDAVSubmitter, areNew: Bool = true) async throws {
        try await withThrowingTaskGroup(of: Receipt.self) { group in
            for (index, bytes) in all.enumerated() {
                if index >= submitter.capabilities.ordering.width { _ = try await group.next() }
                group.addTask { try await submitter.submit(bytes, named: "photo \(index).jpg", as: "journal-\(index)") }
            }
            for try await receipt in group where areNew { #expect(receipt.evidence == .size && !receipt.wasThere) }
        }
    }

    private func expectAll(_ server: FakeDAV) {
        let wanted = Dictionary(uniqueKeysWithValues: all.enumerated().map { ("photo \($0).jpg", $1.content) })
        #expect(Set(server.files.keys) == Set(wanted.keys))
        #expect(server.files == wanted, "some hold other bytes")
        #expect(server.names.allSatisfy { $0.hasPrefix("photo") }, "\(server.names)")
    }

    private func logOfAllSentOnce(to server: FakeDAV) async throws -> ArraySlice<String> {
        let submitter = try server.submitter()
        _ = try await submitter.check()
        let before = server.log.count
        try await submitAll(submitter)
        expectAll(server)
        let log = server.log.dropFirst(before)
        #expect(log.count { $0.hasPrefix("PUT ") } == all.count && log.count { $0.hasPrefix("MOVE ") } == all.count)
        return log
    }

    @Test func `leave nothing beside them`() async throws {
        _ = try await logOfAllSentOnce(to: FakeDAV([.ignoresConditions]))
    }

    @Test func `leave nothing beside them where the removal of their folder fails once`() async throws {
        let fails = Locked(true)
        let server = FakeDAV { request, _ in
            let isRemoval = request.method == "DELETE" && request.url.hasSuffix("/.submit-journal/")
            let failsNow =
                isRemoval
                && fails.withLock { fails in
                    defer { fails = false }
                    return fails
                }
            return failsNow ? .success(HTTPResponse(status: 503)) : nil
        }
        try await submitAll(server.submitter())
        #expect(!fails.withLock { $0 })
        expectAll(server)
    }

    /// - Parameter others: how many files of others lie in the folder.
    @Test(arguments: [false, true], [0, 100])
    func `are looked at together, however their names are spelled`(overEncodes: Bool, others: Int) async throws {
        let server = FakeDAV(overEncodes ? [.ignoresConditions, .overEncodes] : [.ignoresConditions])
        for number in 0..<others { server.put([1], "another \(number).jpg") }
        let submitter = try server.submitter()
        _ = try await submitter.check()
        let before = server.log.count
        try await submitAll(submitter)
        let besides = server.log.dropFirst(before).count { !$0.hasPrefix("PUT ") && !$0.hasPrefix("MOVE ") }
        #expect(besides < all.count, "\(besides) requests besides")
        #expect(server.files.count == others + all.count && server.names.count == others + all.count)
    }

    /// The answer that lists the staging.
    ///
    /// - Parameter members: a `response` each.
    private func listing(of members: [String]) -> HTTPResponse {
        let body =
            "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/.submit-journal/"
            + "</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>"
            + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\(members.joined())</D:multistatus>"
        return HTTPResponse(status: 207, headers: [("Content-Type", "application/xml")], body: Array(body.utf8))
    }

    /// What a server says of the collection that they lie in, when that is of no use.
    enum Silence: CaseIterable {
        /// nginx: one that was moved away while it looked.
        case fails
        case leavesOut
    }

    @Test(arguments: Silence.allCases)
    func `are looked for one by one where nothing is told of them together, and are not sent again`(
        _ silence: Silence
    ) async throws {
        let server = FakeDAV { request, _ in
            guard request.method == "PROPFIND", request.url.hasSuffix("/.submit-journal/") else { return nil }
            if silence == .fails { return .success(HTTPResponse(status: 500)) }
            return .success(listing(of: []))
        }
        let log = try await logOfAllSentOnce(to: server)
        #expect(log.contains { $0.hasPrefix("PROPFIND ") && $0.contains(".submit-journal/") })
    }

    @Test func `are sent again where another process removed what they lay in`() async throws {
        let removals = Locked(0)
        let server = FakeDAV { request, state in
            // Others of the same journal are through, and remove what they think is theirs alone.
            guard request.method == "PROPFIND", request.url.hasSuffix("/.submit-journal/"),
                removals.withLock({
                    $0 += 1
                    return $0 == 2
                }), var dav = state.root.children["dav"]
            else { return nil }
            dav.children[".submit-journal"] = nil
            state.root.children["dav"] = dav
            return nil
        }
        let submitter = try server.submitter()
        do {
            try await submitAll(submitter)
        } catch {
            // One was proven already and on its way to its place: the engine tries it again.
            #expect((error as? SubmitFailure)?.remedy == .retry(after: nil))
            // Those that had come are read then, and were there.
            try await submitAll(submitter, areNew: false)
        }
        #expect(removals.withLock { $0 } >= 2)
        expectAll(server)
    }

    @Test func `that a killed process left are removed with what they lay in`() async throws {
        let server = FakeDAV()
        server.put([1, 2, 3], ".submit-journal/.submit-journal-7")
        server.put([1, 2], ".submit-journal-8")
        let submitter = try server.submitter()
        for number in [7, 8] {
            _ = try await submitter.submit(
                all[number], named: "photo \(number).jpg", as: "journal-\(number)", attempt: 2)
        }
        #expect(server.names == ["photo 7.jpg", "photo 8.jpg"])
    }

    @Test func `that had arrived when the process was killed leave nothing either`() async throws {
        let server = FakeDAV()
        server.put(all[7].content, "photo 7.jpg")
        server.put([1, 2, 3], ".submit-journal/.submit-journal-8")
        let receipt = try await server.submitter().submit(all[7], named: "photo 7.jpg", as: "journal-7", attempt: 2)
        #expect(receipt.wasThere && server.names == ["photo 7.jpg"])
    }

    @Test func `are not believed to be there while the server still works on them`() async throws {
        let server = FakeDAV { request, state in
            guard request.method == "PROPFIND", request.url.hasSuffix("/.submit-journal/"),
                let staging = state.root.children["dav"]?.children[".submit-journal"]
            else { return nil }
            let members = staging.children.values.map { file in
                "<D:response><D:href>/dav/.submit-journal/\(file.name)</D:href><D:propstat><D:prop><D:resourcetype/>"
                    + "<D:getcontentlength>\(file.content?.count ?? 0)</D:getcontentlength></D:prop>"
                    + "<D:status>HTTP/1.1 425 Too Early</D:status></D:propstat></D:response>"
            }
            return .success(listing(of: members))
        }
        let submitter = try server.submitter()
        let codes = await withTaskGroup(of: String?.self, returning: [String].self) { group in
            for (index, bytes) in all.prefix(12).enumerated() {
                group.addTask {
                    do throws(SubmitFailure) {
                        _ = try await submitter.submit(bytes, named: "photo \(index).jpg", as: "journal-\(index)")
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            var codes: [String] = []
            for await case let code? in group { codes.append(code) }
            return codes
        }
        #expect(!codes.isEmpty && codes.allSatisfy { $0 == "too-early" }, "\(codes)")
    }

    @Test(arguments: [[], [".submit-journal-8"]] as [[String]])
    func `that are discarded leave nothing of theirs`(_ others: [String]) async throws {
        let server = FakeDAV()
        for name in [".submit-journal-7"] + others { server.put([1, 2], ".submit-journal/\(name)") }
        try await server.submitter().discard(
            all[7].item(named: "photo 7.jpg"), context: SubmissionContext(submission: "journal-7"))
        #expect(server.names == (others.isEmpty ? [] : [".submit-journal"]))
        #expect(server.files.keys.sorted() == others.map { ".submit-journal/" + $0 })
    }
}

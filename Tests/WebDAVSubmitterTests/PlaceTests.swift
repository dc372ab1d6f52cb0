import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `The place that a receipt names` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))

    /// Names that some take for others.
    private static let names = [
        "ocean?.jpg", "sea;1.jpg", "sea;2.jpg", "a#b.jpg", "100%.jpg", "%41.jpg", "a&b.jpg", "a\\b.jpg",
    ]

    @Test(arguments: [ConflictPolicy.overwrite, .rename], [DAVFront.wsgiDAV, .apache, .nginx, .sabre])
    func `holds the item, and nothing of others is gone`(_ policy: ConflictPolicy, _ front: DAVFront) async throws {
        let access = try await front.access()
        let folder = "places-\(UUID().uuidString.lowercased())"
        let submitter = try access.submitter(["folder": folder])
        _ = try await submitter.check()
        let own = URL(fileURLWithPath: "\(access.data)/\(folder)")
        let strangers = ["ocean/their.jpg", "sea"]
        try FileManager.default.createDirectory(at: own.appending(path: "ocean"), withIntermediateDirectories: true)
        for name in strangers { try Data([1, 2, 3]).write(to: own.appending(path: name)) }
        let items = Self.names.indices.map {
            ScriptedBytes(ScriptedBytes.content(count: 500 + $0, seed: UInt64($0 + 1)))
        }
        for (index, name) in Self.names.enumerated() {
            let receipt = try await submitter.submit(items[index], named: name, as: "test-\(index)", onConflict: policy)
            let stored = try Data(contentsOf: URL(fileURLWithPath: "\(own.path)/\(receipt.remoteID)"))
            #expect(Array(stored) == items[index].content, "\(name) → \(receipt)")
        }
        for name in strangers {
            #expect(try Data(contentsOf: own.appending(path: name)) == Data([1, 2, 3]), "\(name)")
        }
        // mod_dav and SabreDAV keep properties in hidden folders.
        let names = try FileManager.default.contentsOfDirectory(atPath: own.path).filter {
            $0 != ".DAV" && $0 != ".sabredav"
        }
        #expect(names.count == Self.names.count + 2, "\(names)")
    }

    @Test func `overwrite takes the next name if a copy of another photo has its own, or is on its way there`()
        async throws
    {
        let server = FakeDAV([])
        server.put([1, 2, 3], "a.jpg")
        let submitter = try server.submitter()
        func context(_ number: Int) -> SubmissionContext {
            SubmissionContext(
                submission: "test-\(number)", onConflict: .overwrite, reserve: { $0.remoteID != "b.jpg" },
                mayReplace: { .success($0.remoteID != "a.jpg") })
        }
        let taken = try await submitter.submit(bytes.item(named: "a.jpg"), bytes: bytes, context: context(1))
        let reserved = try await submitter.submit(bytes.item(named: "b.jpg"), bytes: bytes, context: context(2))
        #expect(taken.remoteID == "a-1.jpg" && reserved.remoteID == "b-1.jpg")
        #expect(server.files == ["a.jpg": [1, 2, 3], "a-1.jpg": bytes.content, "b-1.jpg": bytes.content])
    }

    @Test func `in a folder that a server takes for another is still where the item is`() async throws {
        let access = try await DAVFront.wsgiDAV.access()
        let stem = "places-\(UUID().uuidString.lowercased())"
        let submitter = try access.submitter(["folder": "\(stem)?x"])
        let receipt = try await submitter.submit(bytes)
        let stored = try Data(contentsOf: URL(fileURLWithPath: "\(access.data)/\(stem)?x/\(receipt.remoteID)"))
        #expect(Array(stored) == bytes.content)
        #expect(!FileManager.default.fileExists(atPath: "\(access.data)/\(stem)"))
    }

    /// A server that begins to cut names after it was tried: an update, or a proxy that was put before it.
    private func cuttingServer(_ manners: Set<FakeDAV.Manner>) -> FakeDAV {
        FakeDAV(manners) { request, state in
            guard request.method == "MOVE",
                let target = request.headers.first(where: { $0.name == "Destination" })?.value,
                !target.contains("probe"), let end = target.range(of: "%3F"), var dav = state.root.children["dav"],
                let overwrite = request.headers.first(where: { $0.name == "Overwrite" })?.value
            else { return nil }
            let name = String(target[..<end.lowerBound].split(separator: "/").last!)
            if dav.children[name] != nil, overwrite == "F" { return .success(HTTPResponse(status: 412)) }
            let source = DAVPath(href: request.url)!.segments.dropFirst()
            func take(_ path: ArraySlice<String>, _ node: inout FakeDAV.Node) -> FakeDAV.Node? {
                guard path.count > 1, let first = path.first, var child = node.children[first] else {
                    return node.children.removeValue(forKey: path.first!)
                }
                defer { node.children[first] = child }
                return take(path.dropFirst(), &child)
            }
            guard var moved = take(source, &dav) else { return .success(HTTPResponse(status: 404)) }
            moved.name = name
            dav.children[name] = moved
            state.root.children["dav"] = dav
            return .success(HTTPResponse(status: 201))
        }
    }

    @Test func `is looked at after the move, and another name is taken where this one was cut`() async throws {
        let server = cuttingServer([])
        let submitter = try server.submitter()
        let receipt = try await submitter.submit(bytes, named: "what?.jpg")
        #expect(receipt.remoteID == "what_.jpg" && receipt.note?.contains("“what?.jpg”") ?? false, "\(receipt)")
        #expect(server.files == ["what_.jpg": bytes.content])
        // What was learned holds for the next.
        let other = ScriptedBytes(ScriptedBytes.content(count: 1200))
        #expect(try await submitter.submit(other, named: "why?.jpg", as: "test-2").remoteID == "why_.jpg")
        #expect(server.files.count == 2)
    }

    @Test func `is told where nobody can tell whether the name was cut or the item taken away`() async throws {
        let server = cuttingServer([.coarseETags])
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, named: "what?.jpg")
        }
        #expect(found.code == "astray" && found.remedy == .giveUp, "\(found)")
        // Only what is surely ours is moved back, and nothing is sent twice.
        #expect(server.files == ["what": bytes.content])
    }

    @Test func `is not a file of others, which stays as it was`() async throws {
        let server = cuttingServer([])
        server.put([1, 2, 3], "what")
        let receipt = try await server.submitter().submit(bytes, named: "what?.jpg", onConflict: .overwrite)
        #expect(receipt.remoteID == "what_.jpg")
        #expect(server.files == ["what": [1, 2, 3], "what_.jpg": bytes.content])
    }

    @Test(arguments: [[], [.ignoresConditions], [.noETags]] as [Set<FakeDAV.Manner>], [1000, 2_000_000])
    func `is sent to under another name where someone replaced it in the same moment`(
        _ manners: Set<FakeDAV.Manner>, _ size: Int
    ) async throws {
        let replaced = Locked(false)
        let theirs = [UInt8](repeating: 7, count: manners.contains(.noETags) ? size - 1 : size)
        let server = FakeDAV(manners) { request, state in
            let isLook = ["HEAD", "PROPFIND"].contains(request.method) && !request.url.contains("submit-")
            guard isLook, var dav = state.root.children["dav"], dav.children["a.jpg"] != nil,
                !replaced.withLock({ replaced in
                    defer { replaced = true }
                    return replaced
                })
            else { return nil }
            state.version += 1
            dav.children["a.jpg"] = FakeDAV.Node(name: "a.jpg", content: theirs, version: state.version)
            state.root.children["dav"] = dav
            return nil
        }
        let bytes = ScriptedBytes(ScriptedBytes.content(count: size))
        let receipt = try await server.submitter().submit(bytes)
        #expect(receipt.remoteID == "a-1.jpg" && replaced.withLock { $0 })
        #expect(server.files == ["a.jpg": theirs, "a-1.jpg": bytes.content])
    }

    @Test(arguments: [ConflictPolicy.rename, .overwrite])
    func `that never holds what was stored there ends the submission, and not every name gets a copy`(
        _ policy: ConflictPolicy
    ) async throws {
        let server = FakeDAV([.hasNoMove, .storesOthers, .noETags])
        let submitter = try server.submitter(["verify": "readback"])
        let found = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, onConflict: policy)
        }
        // Of one name it cannot be told from others who store there.
        let isOver = found.code == "not-stored" && found.remedy == .giveUp
        #expect(isOver || policy == .overwrite && found.remedy == .retry(after: nil), "\(found)")
        #expect((1...3).contains(server.files.count), "\(server.files.keys)")
    }

    @Test func `where nothing is, though its name is plain, is told in a sentence`() async throws {
        let server = FakeDAV { request, state in
            guard request.method == "HEAD", !request.url.contains("submit-") else { return nil }
            state.root.children["dav"]?.children["a.jpg"] = nil
            return nil
        }
        let submitter = try server.submitter()
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.code == "astray" && found.remedy == .giveUp, "\(found)")
        #expect(server.files.isEmpty)
    }

    @Test(arguments: [[], [.ignoresConditions]] as [Set<FakeDAV.Manner>])
    func `is not replaced where it became another after it was seen`(_ manners: Set<FakeDAV.Manner>) async throws {
        let theirs = [UInt8](repeating: 7, count: 500)
        let server = FakeDAV(manners) { request, state in
            guard request.method == "PUT", request.body.length == 1000, var dav = state.root.children["dav"],
                var folder = Optional(FakeDAV.Node(name: "a.jpg"))
            else { return nil }
            folder.children["their.jpg"] = FakeDAV.Node(name: "their.jpg", content: theirs)
            dav.children["a.jpg"] = folder
            state.root.children["dav"] = dav
            return nil
        }
        server.put([1, 2, 3], "a.jpg")
        let receipt = try await server.submitter().submit(bytes, onConflict: .overwrite)
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(server.files == ["a.jpg/their.jpg": theirs, "a-1.jpg": bytes.content])
    }

    /// As Go's x/net/webdav does, and so rclone.
    @Test func `is overwritten also where a server refuses whatever has a condition`() async throws {
        let server = FakeDAV { request, _ in
            let isConditional = request.method == "MOVE" && request.headers.contains { $0.name == "If" }
            return isConditional ? .success(HTTPResponse(status: 412)) : nil
        }
        server.put([1, 2, 3], "a.jpg")
        let receipt = try await server.submitter().submit(bytes, onConflict: .overwrite)
        #expect(receipt.remoteID == "a.jpg" && server.files == ["a.jpg": bytes.content])
    }

    @Test(arguments: [1000, 2_000_000])
    func `is told also to who cancels when the item has just been moved there`(_ size: Int) async throws {
        let running = Locked<Task<Result<Receipt, SubmitFailure>, Never>?>(nil)
        let server = FakeDAV { request, _ in
            if request.method == "MOVE", !request.url.contains("probe") { running.withLock { $0?.cancel() } }
            return nil
        }
        let submitter = try server.submitter()
        _ = try await submitter.check()
        let bytes = ScriptedBytes(ScriptedBytes.content(count: size))
        let task = Task { () async -> Result<Receipt, SubmitFailure> in
            while running.withLock({ $0 == nil }) { await Task.yield() }
            do throws(SubmitFailure) {
                return .success(try await submitter.submit(bytes))
            } catch {
                return .failure(error)
            }
        }
        running.withLock { $0 = task }
        let receipt = try await task.value.get()
        #expect(receipt.remoteID == "a.jpg" && !receipt.wasThere && server.files == ["a.jpg": bytes.content])
    }
}

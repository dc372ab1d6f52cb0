import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

@Suite struct `An upload in pieces` {
    private let part = CloudEndeavour.pieceSize
    private let all = 4 * CloudEndeavour.pieceSize + 5000

    @Test(arguments: [
        (CloudFront.nextcloud, Evidence.verified), (.ownCloud, .verified), (.nextcloudOnStorage, .size),
    ])
    func `arrives whole, with its date and its proof`(front: CloudFront, evidence: Evidence) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        #expect(try await endeavour.arrives(evidence) == all)
        let pieces = (1...5).map(PieceStep.piece)
        #expect(
            endeavour.wire.steps.filter { ![.look, .list].contains($0) } == [.make] + pieces + [.assemble, .place])
        let urls = endeavour.wire.sent.filter { $0.method == "PUT" }.map(\.url).suffix(5)
        #expect(urls.map { String($0.suffix(6)) } == ["/00001", "/00002", "/00003", "/00004", "/00005"])
    }

    @Test func `takes an empty answer that calls itself a page for no page`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloudOnStorage.shared())
        for piece in 1...5 {
            // As Nextcloud with an object storage answers.
            endeavour.wire.plan(
                .piece(piece),
                .changed { answer in
                    HTTPResponse(
                        status: 200, headers: [("Content-Type", "text/html; charset=UTF-8"), ("Content-Length", "0")])
                })
        }
        #expect(try await endeavour.arrives() == all)
    }

    @Test func `is known again by the digest that the server keeps or computes, and not read`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        try await endeavour.arrives(.verified)
        endeavour.wire.forget()
        let presence = try #require(try endeavour.submitter().facets.presence)
        let receipt = Receipt(remoteID: "a.jpg", evidence: .verified)
        #expect(await presence.presence(of: endeavour.item, receipt: receipt) == .present(.echoed))
        let other = try CloudEndeavour(endeavour.cloud, ["folder": endeavour.name], bytes: endeavour.bytes)
        #expect(try await other.attempt().evidence == .echoed)
        // Another program's copy has none.
        try await endeavour.cloud.put(endeavour.bytes.content, as: "\(endeavour.name)/b.jpg")
        let third = try await other.submitter().submit(endeavour.bytes, named: "b.jpg", as: "test-3")
        #expect(third.wasThere && third.evidence == .verified)
        #expect((endeavour.wire.sent + other.wire.sent).allSatisfy { $0.method != "GET" || !$0.url.hasSuffix(".jpg") })
    }

    @Test func `sends several at once, and no more than that`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.ownCloud.shared(), width: 8, ["part_size": "4KiB"])
        #expect(try await endeavour.arrives() == all)
        #expect((2...4).contains(endeavour.wire.mostUnderWay), "\(endeavour.wire.mostUnderWay)")
    }

    @Test(arguments: [CloudFront.nextcloud, .ownCloud], PieceFault.all)
    func `goes on after a fault and sends nothing twice`(_ front: CloudFront, _ fault: PieceFault) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(fault.step, fault.fault)
        let codes = try await endeavour.goesOn()
        #expect(codes == [fault.code], "\(endeavour.wire.steps)")
        #expect(endeavour.wire.taken == Int64(all))
    }

    @Test(arguments: [CloudFront.nextcloud, .nextcloudOnStorage, .ownCloud], PieceFault.all)
    func `leaves nothing when it is cancelled after a fault`(_ front: CloudFront, _ fault: PieceFault) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(fault.step, fault.fault)
        try await endeavour.fails()
        for _ in 1...2 { try await endeavour.discard() }
        try endeavour.expectNothing()
    }

    @Test(arguments: [CloudFront.nextcloud, .nextcloudOnStorage, .ownCloud])
    func `keeps the size of its pieces when another is set`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(.piece(4), .lostBefore)
        try await endeavour.fails()
        #expect(endeavour.landed == Int64(3 * part) && endeavour.note?.partSize == Int64(part))
        let other = try CloudEndeavour(continuing: endeavour, ["part_size": "50KiB"])
        #expect(try await other.arrives() == part + 5000)
    }

    @Test(arguments: [CloudFront.nextcloud, .ownCloud])
    func `sends a short piece again, and that alone`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(.piece(4), .lostBefore)
        try await endeavour.fails()
        try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: endeavour.upload + "/00002"))
        #expect(try await endeavour.arrives() == 2 * part + 5000)
    }

    @Test(arguments: [CloudFront.nextcloud, .nextcloudOnStorage, .ownCloud])
    func `sends a piece again that a listing does not show`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(.piece(4), .lostBefore)
        endeavour.wire.plan(
            .list,
            .changed { answer in
                var lagging = answer
                let text = String(decoding: answer.body, as: UTF8.self)
                let pattern = try! Regex("<d:response>(?:(?!</d:response>).)*/0*3</d:href>.*?</d:response>")
                    .dotMatchesNewlines()
                lagging.body = Array(text.replacing(pattern, with: "").utf8)
                return lagging
            })
        try await endeavour.fails()
        #expect(try await endeavour.arrives() == 2 * part + 5000)
    }

    @Test(arguments: [CloudFront.nextcloud, .nextcloudOnStorage, .ownCloud])
    func `begins anew when its upload is gone`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(.piece(4), .lostBefore)
        try await endeavour.fails()
        try endeavour.expire()
        #expect(try await endeavour.arrives() == all)
    }

    @Test(arguments: [PieceStep.piece(3), .assemble], [CloudFront.nextcloud, .nextcloudOnStorage, .ownCloud])
    func `begins anew when its upload goes meanwhile`(_ step: PieceStep, _ front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(step, .after { try? endeavour.expire() })
        try await endeavour.fails(.retry(after: nil), "upload-lost")
        #expect(try await endeavour.arrives() == all)
    }

    @Test(arguments: [CloudFront.nextcloud, .ownCloud])
    func `clears away what nothing is known of`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        try FileManager.default.createDirectory(atPath: endeavour.upload, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: endeavour.upload + "/00009"))
        #expect(try await endeavour.arrives() == all)
    }

    @Test(arguments: [CloudFront.nextcloud, .ownCloud])
    func `begins anew when pieces of others lie among its own`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(.piece(4), .lostBefore)
        try await endeavour.fails()
        try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: endeavour.upload + "/00009"))
        #expect(try await endeavour.arrives() == all)
    }

    @Test func `is sent anew when what was put together is not what was sent`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.ownCloud.shared())
        endeavour.wire.plan(.assemble, .after { try? endeavour.damage(2) })
        try await endeavour.fails(.retry(after: nil), "damaged")
        #expect(!endeavour.isOpen)
        #expect(try await endeavour.arrives(.verified) == all)
    }

    @Test func `is removed where Nextcloud computed another digest`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        endeavour.wire.plan(.assemble, .after { try? endeavour.damage(2) })
        try await endeavour.fails(.retry(after: nil), "damaged")
        #expect(try FileManager.default.contentsOfDirectory(atPath: endeavour.folder) == [])
        #expect(try await endeavour.arrives(.verified) == all)
    }

    @Test(arguments: [CloudFront.nextcloud, .ownCloud])
    func `is begun anew when pieces do not sum up`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        endeavour.wire.plan(
            .assemble,
            .after { try? Data([1]).write(to: URL(fileURLWithPath: endeavour.upload + "/00005")) })
        try await endeavour.fails(.retry(after: nil), "damaged")
        #expect(try await endeavour.arrives() == all)
    }

    @Test func `goes to a server that has none of it whole, once that is known`() async throws {
        for status in [403, 404, 405, 501] {
            let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
            for _ in 1...2 {
                endeavour.wire.plan(.make, .refused(status))
                endeavour.wire.plan(.removeUpload, .refused(404))
            }
            #expect(try await endeavour.arrives(.verified) == all)
            #expect(endeavour.wire.steps.count { $0 == .make } == 1)
            endeavour.wire.forget()
            try FileManager.default.removeItem(atPath: endeavour.folder + "/a.jpg")
            #expect(try await endeavour.arrives(.verified) == all)
            #expect(!endeavour.wire.steps.contains(.make) && endeavour.wire.steps.contains(.store))
        }
    }

    @Test(arguments: [PieceStep.make, .piece(3), .assemble])
    func `holds the destination where there is no room`(step: PieceStep) async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        endeavour.wire.plan(step, .refused(507))
        try await endeavour.fails(.hold(.full, after: nil), "full")
        try await endeavour.arrives()
        #expect(endeavour.wire.taken == Int64(all))
    }

    @Test func `says which setting makes pieces smaller`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        endeavour.wire.plan(.piece(1), .refused(413))
        let failure = try await endeavour.fails(.giveUp, "piece-too-large")
        #expect(failure.message.contains("“part_size”"))
    }

    @Test func `asks for credentials in its middle`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        endeavour.wire.plan(.piece(3), .refused(401))
        try await endeavour.fails(.renewCredentials, "credentials")
        #expect(try await endeavour.arrives() == 2 * part + 5000)
    }

    @Test func `is listed by cleanup and removed by it`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.ownCloud.shared())
        endeavour.wire.plan(.piece(4), .lostBefore)
        try await endeavour.fails()
        let facet = try #require(try endeavour.submitter().facets.leftovers)
        let checkpoint = try #require(endeavour.note?.checkpoint)
        #expect(try await facet.list(sparing: [checkpoint]).contains { $0.id.contains(endeavour.name) } == false)
        let found = try await facet.list(sparing: []).filter { $0.id.contains(endeavour.name) }
        #expect(found.count == 1)
        for leftover in found { try await facet.remove(leftover) }
        try endeavour.expectNothing()
    }

    @Test func `that a server does not list is no failure of cleanup`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        let facet = try #require(try endeavour.submitter().facets.leftovers)
        #expect(try await facet.list(sparing: []) == [])
    }
}

extension CloudEndeavour {
    /// The same submission as another process sees it, with other settings.
    convenience init(continuing other: CloudEndeavour, _ settings: [String: String]) throws {
        try self.init(other.cloud, name: other.name, checkpoint: other.note?.checkpoint, settings, bytes: other.bytes)
    }

    /// A day has passed.
    func expire() throws {
        try FileManager.default.removeItem(atPath: upload)
        try? FileManager.default.removeItem(atPath: upload + ".json")
    }

    /// Turns a bit of a piece that lies at the server.
    func damage(_ number: Int) throws {
        let url = URL(fileURLWithPath: upload + "/" + PieceName.text(number))
        var bytes = try Data(contentsOf: url)
        bytes[100] ^= 1
        try bytes.write(to: url)
    }
}

/// Something that goes wrong once in an upload in pieces.
struct PieceFault: Sendable, CustomTestStringConvertible {
    let step: PieceStep
    let fault: Wire.Fault
    /// Of the failed attempt.
    let code: String

    var testDescription: String { "\(fault) at \(step)" }

    static let all: [PieceFault] =
        [.make, .piece(3), .piece(5), .assemble].flatMap { (step: PieceStep) in
            let isEnd = step == .assemble
            return [
                PieceFault(step: step, fault: .lostBefore, code: isEnd ? "assembling" : "broken"),
                PieceFault(step: step, fault: .lostAfter, code: isEnd ? "assembling" : "broken"),
                PieceFault(step: step, fault: .refused(500), code: "server-error"),
                PieceFault(step: step, fault: .refused(502), code: isEnd ? "assembling" : "unavailable"),
                PieceFault(step: step, fault: .refused(503), code: "unavailable"),
                PieceFault(step: step, fault: .doneBut(503), code: "unavailable"),
                PieceFault(step: step, fault: .refused(504), code: isEnd ? "assembling" : "unavailable"),
                PieceFault(step: step, fault: .doneBut(504), code: isEnd ? "assembling" : "unavailable"),
                PieceFault(step: step, fault: .refused(423), code: isEnd ? "assembling" : "locked"),
                PieceFault(step: step, fault: .refused(429), code: "throttled"),
                PieceFault(step: step, fault: .cancelled, code: "cancelled"),
            ]
        } + [PieceFault(step: .assemble, fault: .doneBut(500), code: "server-error")]
}

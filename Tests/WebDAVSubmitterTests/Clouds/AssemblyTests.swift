import Foundation
import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import WebDAVSubmitter

@Suite struct `Pieces that take time to be put together` {
    private let all = Int64(4 * CloudEndeavour.pieceSize + 5000)

    @Test(arguments: [CloudFront.slowNextcloud, .slowOwnCloud])
    func `are waited for longer each time and sent once`(front: CloudFront) async throws {
        let endeavour = try CloudEndeavour(await front.shared())
        try await endeavour.fails(.retry(after: .seconds(5)), "assembling")
        #expect(endeavour.note?.orders == 1 && endeavour.landed == all)
        var wait = Duration.seconds(10)
        for _ in 0..<8 {
            do throws(SubmitFailure) {
                let receipt = try await endeavour.attempt()
                // What X-Hash told is lost with the answer, so that the server is asked for the digest, or it is read.
                #expect(receipt.evidence == .verified)
                break
            } catch {
                #expect(error.remedy == .retry(after: wait) && error.code == "assembling")
                wait *= 2
            }
        }
        try endeavour.expectOnlyIt()
        #expect(endeavour.wire.taken == all && wait > .seconds(10))
    }

    @Test(arguments: [CloudFront.slowNextcloud, .slowOwnCloud])
    func `that come to nothing are put together again`(front: CloudFront) async throws {
        let cloud = try await front.start()
        try await cloud.change(.assemblyFails(1))
        let endeavour = try CloudEndeavour(cloud)
        let codes = try await endeavour.goesOn()
        #expect(Set(codes) == ["assembling"] && endeavour.wire.taken == all)
        await cloud.remove()
    }

    @Test func `are found done where the next MOVE knows nothing of them`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        endeavour.wire.plan(.assemble, .doneBut(423))
        // It comes to its end between the look and the MOVE.
        endeavour.wire.plan(.look, .changed { _ in HTTPResponse(status: 404) })
        try await endeavour.fails(.retry(after: .seconds(5)), "assembling")
        #expect(try await endeavour.arrives(.verified) == 0)
        #expect(endeavour.wire.steps.count { $0 == .assemble } == 2)
    }

    @Test func `are not seen before they are whole`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.nextcloud.shared())
        endeavour.wire.plan(.assemble, .refused(504))
        try await endeavour.fails(.retry(after: .seconds(5)), "assembling")
        let half = Data(repeating: 7, count: 300)
        try half.write(to: URL(fileURLWithPath: "\(endeavour.folder)/.submit-\(endeavour.name)"))
        #expect(try await endeavour.arrives(.verified) == 0)
    }

    @Test func `leave nothing when the submission is cancelled meanwhile`() async throws {
        let endeavour = try CloudEndeavour(await CloudFront.slowNextcloud.shared())
        try await endeavour.fails()
        var codes: [String] = []
        while codes.count < 6 {
            do throws(SubmitFailure) {
                try await endeavour.discard()
                break
            } catch {
                // The server holds on to them until they are put together: a look at them is time to it.
                codes.append(error.code)
                try await endeavour.lookAtTemporary()
            }
        }
        #expect(Set(codes) == ["locked"])
        try endeavour.expectNothing()
    }

    @Test func `are proven by reading them where that is asked for`() async throws {
        let endeavour = try CloudEndeavour(
            await CloudFront.slowNextcloud.shared(), ["verify": "readback"])
        _ = try await endeavour.goesOn()
        let again = try await endeavour.attempt()
        #expect(again.wasThere && again.evidence == .verified)
    }
}

extension CloudEndeavour {
    fileprivate func lookAtTemporary() async throws {
        try await ChildProcess.output(
            of: [
                "curl", "-s", "--noproxy", "*", "--max-time", "30", "-u", "\(cloud.user):\(cloud.appPassword)", "-I",
                "-o", "/dev/null", "\(cloud.filesURL)/\(name)/.submit-\(name)",
            ])
    }
}

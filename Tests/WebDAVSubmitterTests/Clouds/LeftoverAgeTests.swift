import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

@Suite struct `The age of what a broken upload left` {
    private static let taken = Timestamp(nanoseconds: 1_400_000_000_000_000_000)

    /// A whole file under a temporary name, with the date of its photo, as another computer leaves it for a moment.
    private func leave(_ cloud: CloudServer, _ folder: String) async throws -> any LeftoverFacet {
        let submitter = try cloud.access().submitter(["folder": folder])
        _ = try await submitter.check()
        let authorization = Data("\(cloud.user):\(cloud.appPassword)".utf8).base64EncodedString()
        let put = HTTPRequest(
            method: "PUT", url: "\(cloud.filesURL)/\(folder)/.submit-other-1",
            headers: [("Authorization", "Basic \(authorization)"), ("X-OC-Mtime", "\(Self.taken.seconds)")],
            body: .bytes([1, 2, 3]))
        #expect(try await cloud.access().transport.send(put).status == 201)
        return try #require(submitter.facets.leftovers)
    }

    @Test func `is that of its arrival where the server tells it, and not the photo's`() async throws {
        let folder = "age-\(UUID().uuidString.lowercased())"
        let facet = try await leave(CloudFront.nextcloud.shared(), folder)
        let found = try await facet.list(sparing: []).first { $0.id.contains(folder) }
        let begun = try #require(found?.begun)
        #expect(abs(begun.seconds - Timestamp.now.seconds) < 3600, "\(begun)")
    }

    @Test func `is not told where nobody but the photo says it`() async throws {
        let folder = "age-\(UUID().uuidString.lowercased())"
        let facet = try await leave(CloudFront.infiniteScale.shared(), folder)
        let found = try await facet.list(sparing: []).first { $0.id.contains(folder) }
        #expect(found != nil && found?.begun == nil, "\(String(describing: found))")
    }
}

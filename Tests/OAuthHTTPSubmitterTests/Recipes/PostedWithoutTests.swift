import Submit
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// Posts that a service makes without the photo that belongs to them.
@Suite struct `A post without its photo` {
    private static let services: [ServiceServer.Service] = [.mastodon, .pixelfed, .x]

    private func failure(_ outcome: Result<Receipt, SubmitFailure>) -> SubmitFailure? {
        if case .failure(let failure) = outcome { failure } else { nil }
    }

    @Test(arguments: services)
    func `a post that lacks its photo fails and is not made again`(service: ServiceServer.Service) async throws {
        let place = try await StandInPlace(service)
        try await place.server.change(["dropsMedia": "true"])
        let endeavour = StandInEndeavour(place)
        for _ in 1...2 {
            let failure = try #require(failure(await endeavour.run()))
            #expect(failure.remedy == .giveUp && failure.code == "posted-without", "\(failure)")
            #expect(failure.message.contains("without the photo"), "\(failure)")
            #expect(try await place.state().posts.count == 1)
            // The journal keeps the checkpoint as long as this throws.
            await #expect(throws: SubmitFailure.self) { try await endeavour.discard() }
        }
    }

    @Test(arguments: services)
    func `a photo is posted again after its empty post was deleted`(service: ServiceServer.Service) async throws {
        let place = try await StandInPlace(service)
        try await place.server.change(["dropsMedia": "true"])
        let endeavour = StandInEndeavour(place)
        _ = await endeavour.run()
        let post = try #require(try await place.state().posts.first)
        let removal = try #require(try place.submitter().facets.removal)
        try await removal.remove(Receipt(remoteID: post.id, evidence: .accepted))
        try await endeavour.discard()
        try await place.server.change(["dropsMedia": "false"])
        _ = try await endeavour.run().get()
        #expect(try await place.seen() == [endeavour.digest])
    }

    @Test(arguments: services)
    func `an audit calls a photo absent whose post lacks it`(service: ServiceServer.Service) async throws {
        let place = try await StandInPlace(service)
        try await place.server.change(["dropsMedia": "true"])
        let endeavour = StandInEndeavour(place)
        _ = await endeavour.run()
        let post = try #require(try await place.state().posts.first)
        let presence = try #require(try place.submitter().facets.presence)
        let receipt = Receipt(remoteID: post.id, evidence: .accepted)
        #expect(await presence.presence(of: endeavour.item, receipt: receipt) == .absent)
    }
}

import Submit
import SubmitCurl
import SubmitHTTP
import SubmitRecipes
import TestServers
import Testing

@testable import OAuthHTTPSubmitter

/// The recipes that come with the program, each at the stand-in of its service.
@Suite struct `A recipe at its service's stand-in` {
    typealias RecipeService = ServiceServer.Service

    private static let videos: [RecipeService] = [
        .immich, .mastodon, .pixelfed, .dropbox, .googlePhotos, .flickr, .x, .tumblr, .imgur,
    ]
    /// Bytes of a video: more than one piece, where the recipe makes any.
    private static func count(_ service: RecipeService) -> Int {
        switch service {
        case .dropbox, .googlePhotos: 20 << 20
        case .x: 3 << 20
        // More than sockets take by themselves, so that it is known not to be there whole.
        default: 9 << 20
        }
    }

    private static let albums: [RecipeService] = [.immich, .dropbox, .googlePhotos, .flickr, .hatena, .imgur, .mixi]

    @Test(arguments: RecipeService.allCases)
    func `brings a photo there, once, whole and with its words`(service: RecipeService) async throws {
        let place = try await StandInPlace(service)
        let endeavour = StandInEndeavour(place)
        let receipt = try await endeavour.run().get()
        #expect(try await place.seen() == [endeavour.digest])
        #expect(!receipt.remoteID.isEmpty && !receipt.wasThere)
        #expect(receipt.evidence != .unknown)
        let state = try await place.server.state()
        if place.recipe.limits.captionLimit != 0 {
            let words = state.posts.map(\.text) + state.items.compactMap(\.caption)
            #expect(words.contains(endeavour.item.caption ?? ""))
        }
        #expect(state.sessions == 0)
    }

    @Test(arguments: RecipeService.allCases)
    func `asks who we are, and whether a photo is there, and removes it`(service: RecipeService) async throws {
        let place = try await StandInPlace(service)
        let endeavour = StandInEndeavour(place)
        let receipt = try await endeavour.run().get()
        let submitter = try place.submitter()
        #expect(try await submitter.whoami()?.name.isEmpty == false)
        let presence = try #require(submitter.facets.presence)
        #expect(await presence.presence(of: endeavour.item, receipt: receipt).isPresent)
        guard let removal = submitter.facets.removal else { return }
        try await removal.remove(receipt)
        #expect(try await place.seen() == [])
        // Facebook does not say whether something is not there or only hidden.
        let absence = await presence.presence(of: endeavour.item, receipt: receipt)
        #expect(absence == .absent || service == .facebook)
    }

    @Test(arguments: videos)
    func `brings a video there in pieces, or in one`(service: RecipeService) async throws {
        let place = try await StandInPlace(service)
        let endeavour = StandInEndeavour(place, count: Self.count(service), name: "video.mp4")
        _ = try await endeavour.run().get()
        #expect(try await place.seen() == [endeavour.digest])
        #expect(try await place.server.state().sessions == 0)
    }

    @Test(arguments: albums)
    func `puts photos into an album, which is made once`(service: RecipeService) async throws {
        let place = try await StandInPlace(service)
        let album = service == .hatena ? "Harbour" : "Harbour é"
        for seed in 1...2 as ClosedRange<UInt64> {
            let endeavour = StandInEndeavour(place, seed: seed, name: "photo\(seed).jpg", album: album)
            _ = try await endeavour.run().get()
        }
        let state = try await place.server.state()
        let made = state.albums.filter { $0.title == album }
        #expect(made.count == 1)
        if service == .dropbox {
            #expect(state.items.allSatisfy { $0.album == made.first?.id })
        } else {
            #expect(made.first?.items?.count == 2)
        }
    }

    /// What is in Immich's trash is known there, and purged some day.
    @Test func `takes a photo out of Immich's trash that is sent again`() async throws {
        let place = try await StandInPlace(.immich)
        let first = StandInEndeavour(place)
        let receipt = try await first.run().get()
        let trash = HTTPRequest(
            method: "DELETE", url: "\(place.server.endpoint)/api/assets",
            headers: [("x-api-key", try place.server.credential("API_KEY")), ("Content-Type", "application/json")],
            body: .bytes(Array(#"{"ids": ["\#(receipt.remoteID)"]}"#.utf8)))
        #expect(try await place.transport.send(trash).status == 204)
        let presence = try #require(try place.submitter().facets.presence)
        #expect(await presence.presence(of: first.item, receipt: receipt) == .absent)
        let again = try await StandInEndeavour(place, submission: "job-2").run().get()
        #expect(again.remoteID == receipt.remoteID && again.wasThere && again.evidence == .verified)
        #expect(await presence.presence(of: first.item, receipt: receipt).isPresent)
    }

    /// The connection ends in the middle of what is sent, and the service forgets what was begun.
    @Test(arguments: videos.map { ($0, false) } + [RecipeService.dropbox, .googlePhotos, .x].map { ($0, true) })
    func `goes on with a video that broke off`(service: RecipeService, forgets: Bool) async throws {
        let place = try await StandInPlace(service)
        let pieces: [RecipeService: String] = [.dropbox: "append", .googlePhotos: "chunk", .x: "append"]
        let step = pieces[service]
        let fault = CloudFault.cut(afterBodyBytes: 700_000)
        try await place.server.plan(step.map { fault.at($0, skip: 1) } ?? fault.on("POST"))
        let endeavour = StandInEndeavour(place, count: Self.count(service), name: "video.mp4")
        if forgets {
            let first = await endeavour.run(attempts: 1)
            #expect(first.isFailure)
            try await place.server.expireSessions()
        }
        _ = try await endeavour.run().get()
        #expect(try await place.seen() == [endeavour.digest])
        #expect(try await place.server.openFaults() == 0)
    }

    /// Others posted there meanwhile.
    @Test(arguments: [RecipeService.pixelfed, .x, .tumblr])
    func `finds its post behind newer ones`(service: RecipeService) async throws {
        let place = try await StandInPlace(service)
        try await place.server.plan(.doneButDropped.at("post"))
        let endeavour = StandInEndeavour(place)
        #expect(await endeavour.run(attempts: 1).isFailure)
        #expect(try await place.server.openFaults() == 0)
        let others = [2, 3].map { seed in
            StandInEndeavour(
                place, seed: seed, name: "\(seed).jpg", caption: "Another, \(seed)", submission: "job-\(seed)")
        }
        for other in others { _ = try await other.run().get() }
        let receipt = try await endeavour.run().get()
        let posts = try await place.server.state().posts
        #expect(Set(posts.flatMap(\.sha256)) == Set(([endeavour] + others).map(\.digest)) && posts.count == 3)
        #expect(posts.first { $0.sha256 == [endeavour.digest] }?.id == receipt.remoteID)
    }

    /// The service made a token of all pieces, which nobody got: it does not say it again.
    @Test func `sends a video anew to Google Photos when its token is lost`() async throws {
        let place = try await StandInPlace(.googlePhotos)
        try await place.server.plan(.doneButDropped.at("chunk", skip: 1))
        let endeavour = StandInEndeavour(place, count: 20 << 20, name: "video.mp4")
        _ = try await endeavour.run().get()
        #expect(try await place.seen() == [endeavour.digest])
        #expect(try await place.server.openFaults() == 0)
    }

    @Test(arguments: RecipeService.allCases)
    func `asks for a login when the credentials are worth nothing`(service: RecipeService) async throws {
        let place = try await StandInPlace(service)
        try await place.server.revokeTokens()
        let endeavour = StandInEndeavour(place)
        let outcome = await endeavour.run()
        guard case .failure(let failure) = outcome else {
            Issue.record("It was done.")
            return
        }
        #expect(failure.remedy == .renewCredentials, "\(failure)")
        #expect(try await place.seen() == [])
    }

    /// Dropbox takes anything.
    @Test(arguments: RecipeService.allCases.filter { $0 != .dropbox })
    func `gives up on what the service does not take`(service: RecipeService) async throws {
        let place = try await StandInPlace(service)
        try await place.server.change(["checksTypes": "true"])
        // Random bytes are no photo.
        let endeavour = StandInEndeavour(place)
        let outcome = await endeavour.run()
        guard case .failure(let failure) = outcome else {
            Issue.record("It was done.")
            return
        }
        #expect(failure.remedy == .giveUp, "\(failure)")
        #expect(try await place.seen() == [])
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}

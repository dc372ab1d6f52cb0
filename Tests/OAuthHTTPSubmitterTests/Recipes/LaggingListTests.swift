import Submit
import SubmitTesting
import TestServers
import Testing

@testable import OAuthHTTPSubmitter

@Suite struct `A service whose list of albums lags` {
    @Test(arguments: [ServiceServer.Service.immich, .googlePhotos, .flickr, .imgur, .mixi])
    func `gets one album from two processes`(service: ServiceServer.Service) async throws {
        let place = try await StandInPlace(service)
        try await place.server.change(["albumLag": "4"])
        let photos = (1...3 as ClosedRange<UInt64>).map { seed in
            StandInEndeavour(place, seed: seed, name: "photo\(seed).jpg", album: "Harbour", submission: "job-\(seed)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for photo in photos { group.addTask { _ = try await photo.run().get() } }
            try await group.waitForAll()
        }
        let made = try await place.state().albums.filter { $0.title == "Harbour" }
        #expect(made.count == 1 && made.first?.items?.count == 3)
    }
}

import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// What is sent by which of the recipes that come with the program.
struct FaultRun: Sendable, CustomTestStringConvertible {
    enum Cargo: String, Sendable {
        case photo
        /// In pieces, where the recipe knows any.
        case video
        /// A photo, into an album that is not there yet.
        case album
    }

    /// `nil`: Nextcloud.
    let service: ServiceServer.Service?
    let cargo: Cargo

    static let all: [FaultRun] =
        (ServiceServer.Service.allCases + [nil]).map { FaultRun(service: $0, cargo: .photo) }
        + [.dropbox, .googlePhotos, .x, .mastodon, nil].map { FaultRun(service: $0, cargo: .video) }
        + [.immich, .dropbox, .googlePhotos, .flickr, .hatena, .imgur, .mixi].map {
            FaultRun(service: $0, cargo: .album)
        }

    var testDescription: String { "\(service?.rawValue ?? "nextcloud"), \(cargo)" }

    /// The services that know nothing to tell one upload from another by.
    var mayEndUnknown: Bool { [.facebook, .hatena, .imgur, .mixi].contains(service) }

    /// A login renews itself there.
    var refreshes: Bool { [.dropbox, .googlePhotos, .x, .tumblr, .imgur, .mixi].contains(service) }

    /// Bytes: of several pieces, of those that ``edited(_:)`` leaves.
    var count: Int {
        switch (cargo, service) {
        case (.video, .googlePhotos): 600_000
        case (.video, .dropbox), (.video, nil): 10_000
        case (.video, .x): 2500
        default: 1000
        }
    }

    /// A recipe with small pieces.
    func edited(_ recipe: String) -> String {
        switch service {
        case .dropbox:
            recipe.replacing("16MiB", with: "4KiB").replacing("multiple_of: 4MiB", with: "multiple_of: 1KiB")
        case .googlePhotos: recipe.replacing("size: 16MiB", with: "size: 256KiB")
        case .x: recipe.replacing("size: 1MiB", with: "size: 1KiB")
        case nil: recipe.replacing("16MiB", with: "4KiB").replacing("size: 10MiB", with: "size: 4KiB")
        default: recipe
        }
    }
}

/// Where a run takes place, again and again, each time at an empty service.
struct FaultStage: Sendable {
    /// What is there after a run.
    struct Outcome {
        /// Digests of what people see.
        var seen: [String]
        var albums: [ServiceServer.State.Album] = []
        /// Planned faults that did not strike.
        var openFaults: Int
    }

    enum Place: Sendable {
        case service(StandInPlace)
        case cloud(CloudPlace)
    }

    private var place: Place

    init(_ run: FaultRun) async throws {
        if let service = run.service {
            place = .service(try await StandInPlace(service, edit: run.edited))
        } else {
            place = .cloud(try await CloudPlace(edit: run.edited))
        }
    }

    var wire: any HTTPTransport {
        switch place {
        case .service(let place): place.transport
        case .cloud(let place): place.transport
        }
    }

    /// An empty service with faults, and something to bring there.
    mutating func begin(_ run: FaultRun, _ faults: [CloudFault] = []) async throws -> StandInEndeavour {
        let name = run.cargo == .video ? "video.mp4" : "photo.jpg"
        let album = run.cargo == .album ? "Harbour" : nil
        switch place {
        case .service(var place):
            try await place.begin(faults)
            self.place = .service(place)
            return StandInEndeavour(place, count: run.count, name: name, album: album)
        case .cloud(var place):
            try await place.begin(faults)
            self.place = .cloud(place)
            return StandInEndeavour(
                { [place] (wire, clock) throws(SubmitFailure) in try place.submitter(over: wire, clock: clock) },
                takesCaption: false, count: run.count, name: name, album: place.folder)
        }
    }

    func outcome() async throws -> Outcome {
        switch place {
        case .service(let place):
            let state = try await place.state()
            return Outcome(
                seen: state.seen(at: place.server.service), albums: state.albums, openFaults: state.openFaults)
        case .cloud(let place): return try await place.outcome()
        }
    }

    /// Whether what a receipt names is there.
    func presence(of item: MediaItem, _ receipt: Receipt) async throws -> Presence {
        let submitter =
            switch place {
            case .service(let place): try place.submitter()
            case .cloud(let place): try place.submitter()
            }
        guard let facet = submitter.facets.presence else { return .unknown("The recipe has no such rule.") }
        return await facet.presence(of: item, receipt: receipt)
    }
}

/// A destination of the recipe for Nextcloud, at the fake of one; each run has a folder of its own.
struct CloudPlace: Sendable {
    let server: CloudServer
    let recipe: Recipe
    let transport: CurlTransport
    private var number = 0

    init(edit: (String) -> String) async throws {
        server = try await CloudServer(.nextcloud, options: ["--chunk-min", "1000"])
        recipe = try Recipe(
            text: edit(try #require(Recipe.shippedText("nextcloud"))), path: "nextcloud.yaml")
        transport = try CurlTransport(CurlConfiguration(userAgent: "submit-tests"))
    }

    var folder: String { "run \(number)" }

    mutating func begin(_ faults: [CloudFault]) async throws {
        number += 1
        for (method, body) in [("DELETE", ""), ("POST", try CloudFault.plan(faults))] {
            _ = try await steer(method, body)
        }
    }

    private func steer(_ method: String, _ body: String = "") async throws -> HTTPResponse {
        try await transport.send(
            HTTPRequest(
                method: method, url: server.controlURL("plan"), headers: [server.controlHeader],
                body: .bytes(Array(body.utf8))))
    }

    func submitter(
        over wire: (any HTTPTransport)? = nil, clock: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(SubmitFailure) -> RecipeSubmitter {
        try RecipeSubmitter(
            recipe,
            DestinationSettings(
                destination: "mine",
                values: [
                    "server": server.endpoint, "user": server.user, "user_id": server.userID, "insecure": "true",
                ], secrets: ["password": server.password]),
            transport: wire ?? transport, clock: clock)
    }

    func outcome() async throws -> FaultStage.Outcome {
        struct Open: Decodable {}
        let open = try JSONDecoder().decode([Open].self, from: Data(try await steer("GET").body))
        let path = "\(server.data)/\(folder)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return FaultStage.Outcome(
            seen: try names.map { name in
                ScriptedBytes(Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))).item(named: name)
                    .digests.hexadecimal(.sha256) ?? ""
            }, openFaults: open.count)
    }
}

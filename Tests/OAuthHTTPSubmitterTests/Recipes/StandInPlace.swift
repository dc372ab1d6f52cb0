import Submit
import SubmitCurl
import SubmitTesting
import TestServers

@testable import OAuthHTTPSubmitter

/// A destination at a stand-in, of the recipe that comes with the program, over the network and signed in.
struct StandInPlace: Sendable {
    let server: ServiceServer
    let recipe: Recipe
    let settings: Settings
    let transport: CurlTransport

    init(_ service: ServiceServer.Service, _ more: [String: String] = [:]) async throws {
        server = try await ServiceServer(service)
        recipe = try Recipe(
            text: server.redirecting(try `The recipes that come with submit`.text(service.recipe)),
            path: "\(service.recipe).yaml")
        var values = ["client_id": "client-id"]
        var secrets = ["client_secret": "client-secret"]
        for (name, credential) in [
            ("access_token", "ACCESS_TOKEN"), ("refresh_token", "REFRESH_TOKEN"), ("oauth_token", "OAUTH_TOKEN"),
            ("oauth_token_secret", "OAUTH_TOKEN_SECRET"), ("api_key", "API_KEY"), ("page_token", "PAGE_TOKEN"),
            ("long_token", "ACCESS_TOKEN"), ("client_secret", "CONSUMER_SECRET"),
        ] {
            if let value = try? server.credential(credential), !value.isEmpty { secrets[name] = value }
        }
        switch service {
        case .immich, .mastodon, .pixelfed: values += ["server": server.endpoint, "insecure": "true"]
        case .hatena: values += ["user": try server.credential("LOGIN")]
        case .facebook:
            values += ["page": try server.credential("PAGE"), "client_id": try server.credential("CLIENT_ID")]
        case .tumblr: values += ["blog": try server.credential("BLOG")]
        case .flickr: values["client_id"] = try server.credential("CONSUMER_KEY")
        case .dropbox, .googlePhotos, .x, .imgur, .mixi: break
        }
        // What a login finds out.
        for (name, value) in ["id": "14715", "name": "alice", "nsid": "12037949629@N01", "page_name": "Alice"] {
            values[RecipeNames.setting(ofAccount: name)] = value
        }
        settings = Settings(
            destination: "mine", values: values + more, secrets: secrets, secretStore: PassingSecrets(secrets))
        transport = try CurlTransport(
            CurlConfiguration(userAgent: "submit-tests", certificateAuthorities: server.certificateAuthority))
    }

    func submitter(clock: @escaping @Sendable () -> Timestamp = { .now }) throws(SubmitFailure) -> RecipeSubmitter {
        try RecipeSubmitter(recipe, settings, transport: transport, clock: clock)
    }

    /// What people see at the service: posts where it has them, else items.
    func seen() async throws -> [String] {
        let state = try await server.state()
        let hasPosts: Set<ServiceServer.Service> = [.mastodon, .pixelfed, .x, .facebook, .tumblr]
        return hasPosts.contains(server.service) ? state.posts.flatMap(\.sha256) : state.items.map(\.sha256)
    }
}

private func + (left: [String: String], right: [String: String]) -> [String: String] {
    left.merging(right) { $1 }
}

private func += (left: inout [String: String], right: [String: String]) {
    left.merge(right) { $1 }
}

/// One submission at a stand-in, tried again as the engine would, each time by another process.
final class StandInEndeavour: Sendable {
    let place: StandInPlace
    let bytes: ScriptedBytes
    let item: MediaItem
    private let clock = TestClock()
    private let album: String?
    private let submission: String
    private let checkpoint = Locked<Checkpoint?>(nil)
    let failures = Locked<[SubmitFailure]>([])

    init(
        _ place: StandInPlace, count: Int = 1000, seed: UInt64 = 1, name: String = "photo.jpg",
        caption: String? = "A caption, with “é” & <b>", album: String? = nil, submission: String = "job-1"
    ) {
        self.place = place
        self.submission = submission
        self.album = album
        bytes = ScriptedBytes(ScriptedBytes.content(count: count, seed: seed))
        let video = MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4")
        item = bytes.item(
            named: name, type: name.hasSuffix(".mp4") ? video : .jpeg,
            caption: place.recipe.limits.captionLimit == 0 ? nil : caption)
    }

    var digest: String { item.digests.hexadecimal(.sha256) ?? "" }

    /// Tries until it is done, or nobody can go on.
    func run(attempts: Int = 20) async -> Result<Receipt, SubmitFailure> {
        for number in 1...attempts {
            let checkpoint = checkpoint
            let context = SubmissionContext(
                submission: submission, attempt: number, album: album, checkpoint: checkpoint.withLock { $0 },
                keep: { kept in
                    checkpoint.withLock { $0 = kept }
                    return .success(())
                }, landed: { _ in })
            let failure: SubmitFailure
            do throws(SubmitFailure) {
                let clock = clock
                return .success(
                    try await place.submitter(clock: { clock.now }).submit(item, bytes: bytes, context: context))
            } catch {
                failure = error
            }
            failures.withLock { $0.append(failure) }
            switch failure.remedy {
            case .giveUp, .outcomeUnknown, .sourceLost, .cancelled, .renewCredentials: return .failure(failure)
            case .wait(let after): clock.move(milliseconds: after)
            case .retry(let after), .park(_, let after): clock.move(milliseconds: after ?? 1000)
            }
        }
        return .failure(SubmitFailure(.giveUp, code: "endless", "It never ended."))
    }
}

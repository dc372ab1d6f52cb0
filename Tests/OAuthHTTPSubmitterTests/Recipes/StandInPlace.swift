import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A destination at a stand-in, of the recipe that comes with the program, over the network and signed in.
struct StandInPlace: Sendable {
    let server: ServiceServer
    let recipe: Recipe
    private(set) var settings: DestinationSettings
    let transport: CurlTransport

    /// - Parameter edit: what is changed in the recipe.
    init(_ service: ServiceServer.Service, edit: (String) -> String = { $0 }) async throws {
        server = try await ServiceServer(service)
        recipe = try Recipe(
            text: edit(server.redirecting(try #require(Recipe.shippedText(service.recipe)))),
            path: "\(service.recipe).yaml")
        settings = try Self.settings(server)
        transport = try CurlTransport(
            CurlConfiguration(userAgent: "submit-tests", certificateAuthorities: server.certificateAuthority))
    }

    /// As a login leaves it.
    private static func settings(_ server: ServiceServer) throws -> DestinationSettings {
        var values = ["client_id": "client-id"]
        var secrets = ["client_secret": "client-secret"]
        for (name, credential) in [
            ("access_token", "ACCESS_TOKEN"), ("refresh_token", "REFRESH_TOKEN"), ("oauth_token", "OAUTH_TOKEN"),
            ("oauth_token_secret", "OAUTH_TOKEN_SECRET"), ("api_key", "API_KEY"), ("page_token", "PAGE_TOKEN"),
            ("long_token", "ACCESS_TOKEN"), ("client_secret", "CONSUMER_SECRET"),
        ] {
            if let value = try? server.credential(credential), !value.isEmpty { secrets[name] = value }
        }
        switch server.service {
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
        return DestinationSettings(
            destination: "mine", values: values, secrets: secrets, secretStore: TransientSecrets(secrets))
    }

    func submitter(
        over wire: (any HTTPTransport)? = nil, clock: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(SubmitFailure) -> RecipeSubmitter {
        try RecipeSubmitter(recipe, settings, transport: wire ?? transport, clock: clock)
    }

    /// Empties the stand-in, and signs in anew.
    mutating func begin(_ faults: [CloudFault]) async throws {
        _ = try await steer("POST", "reset", CloudFault.plan(faults))
        settings = try Self.settings(server)
    }

    func state() async throws -> ServiceServer.State {
        try JSONDecoder().decode(ServiceServer.State.self, from: Data(try await steer("GET", "state").body))
    }

    /// As the server's own verbs do, over a connection that stays: many runs are steered so.
    private func steer(_ method: String, _ name: String, _ body: String = "") async throws -> HTTPResponse {
        try await transport.send(
            HTTPRequest(
                method: method, url: server.controlURL(name), headers: [server.controlHeader],
                body: .bytes(Array(body.utf8))))
    }

    /// What people see at the service: posts where it has them, else items.
    func seen() async throws -> [String] {
        try await state().seen(at: server.service)
    }
}

private func += (left: inout [String: String], right: [String: String]) {
    left.merge(right) { $1 }
}

extension ServiceServer.State {
    /// What people see there, by its digests.
    func seen(at service: ServiceServer.Service) -> [String] {
        let hasPosts: Set<ServiceServer.Service> = [.mastodon, .pixelfed, .x, .facebook, .tumblr]
        return hasPosts.contains(service) ? posts.flatMap(\.sha256) : items.map(\.sha256)
    }
}

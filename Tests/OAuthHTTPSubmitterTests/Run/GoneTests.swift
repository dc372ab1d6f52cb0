import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// What says that an item is not there, and what only looks like it.
@Suite struct `An item that is gone` {
    private static let answers: [(recipe: String, answer: HTTPResponse, isGone: Bool)] = [
        ("dropbox", json(409, #"{"error":{".tag":"path","path":{".tag":"not_found"}}}"#), true),
        ("dropbox", json(409, #"{"error":{".tag":"path","path":{".tag":"restricted_content"}}}"#), false),
        ("dropbox", json(409, #"{"error":{".tag":"path_lookup","path_lookup":{".tag":"not_found"}}}"#), false),
        ("immich", json(400, #"{"message":"Not found or no asset.read access"}"#), true),
        ("immich", json(400, #"{"message":"id must be a UUID"}"#), false), ("immich", json(404, "{}"), true),
        ("flickr", json(200, #"{"stat":"fail","code":1,"message":"Photo not found"}"#), true),
        ("flickr", json(200, #"{"stat":"fail","code":105,"message":"Service currently unavailable"}"#), false),
        ("mastodon", json(404, "{}"), true),
        (
            "mastodon", HTTPResponse(status: 404, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8)),
            false
        ),
    ]

    private func submitter(_ name: String, _ service: FakeService) throws -> RecipeSubmitter {
        let secrets = [
            "access_token": "a", "api_key": "k", "oauth_token": "t", "oauth_token_secret": "s", "client_secret": "c",
        ]
        // All of a service's hosts are the fake one.
        var text = try #require(Recipe.shippedText(name))
        for host in [
            "api.dropboxapi.com", "content.dropboxapi.com", "api.flickr.com", "up.flickr.com", "www.flickr.com",
        ] {
            text = text.replacing("https://\(host)", with: FakeService.url)
        }
        return try RecipeSubmitter(
            try Recipe(text: text, path: "\(name).yaml"),
            DestinationSettings(
                destination: "mine", values: ["server": FakeService.url, "client_id": "c"], secrets: secrets,
                secretStore: TransientSecrets(secrets)),
            transport: service)
    }

    @Test(arguments: answers.indices)
    func `is told apart from one that cannot be looked at`(index: Int) async throws {
        let (recipe, answer, isGone) = Self.answers[index]
        let submitter = try submitter(recipe, FakeService { _ in answer })
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 10))
        let presence = try #require(submitter.facets.presence)
        let receipt = Receipt(remoteID: "id", url: nil, evidence: .accepted)
        let found = await presence.presence(of: bytes.item(named: "photo.jpg"), receipt: receipt)
        if isGone {
            #expect(found == .absent)
        } else if case .unknown = found {
        } else {
            Issue.record("\(recipe): \(found)")
        }
    }

    @Test func `need not be removed again`() async throws {
        let receipt = Receipt(remoteID: "id", url: nil, evidence: .accepted)
        let gone = FakeService { _ in json(409, #"{"error":{".tag":"path_lookup","path_lookup":{".tag":"not_found"}}}"#)
        }
        try await submitter("dropbox", gone).facets.removal?.remove(receipt)
        let locked = FakeService { _ in
            json(409, #"{"error":{".tag":"path_write","path_write":{".tag":"no_write_permission"}}}"#)
        }
        await #expect(throws: SubmitFailure.self) {
            try await submitter("dropbox", locked).facets.removal?.remove(receipt)
        }
    }
}

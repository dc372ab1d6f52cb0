import Submit
import SubmitHTTP
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

@Suite struct `Who sees what a service gets` {
    private static let cases: [(recipe: String, settings: [String: String], visibility: Visibility)] = [
        ("dropbox", [:], .private), ("facebook", [:], .public), ("flickr", [:], .private),
        ("flickr", ["privacy": "public"], .public), ("flickr", ["privacy": "friends"], .private),
        ("google-photos", [:], .private), ("hatena-fotolife", [:], .public), ("imgur", [:], .public),
        ("immich", [:], .private), ("mastodon", [:], .public), ("mastodon", ["visibility": "unlisted"], .public),
        ("mastodon", ["visibility": "private"], .public), ("mastodon", ["visibility": "direct"], .private),
        ("mixi", [:], .private), ("nextcloud", [:], .private), ("pixelfed", [:], .public), ("tumblr", [:], .public),
        ("tumblr", ["state": "draft"], .public), ("tumblr", ["state": "private"], .private),
        ("wordpress", [:], .public),
        ("x", [:], .public),
    ]

    @Test(arguments: cases.indices)
    func `is what each service's settings say`(index: Int) throws {
        let (recipe, settings, visibility) = Self.cases[index]
        let secrets = [
            "access_token": "a", "api_key": "k", "oauth_token": "t", "oauth_token_secret": "s", "client_secret": "c",
            "password": "p",
        ]
        let values = [
            "server": "https://a.example", "site": "https://a.example", "page": "1", "blog": "b", "user": "u",
            "client_id": "c",
        ]
        let submitter = try RecipeSubmitter(
            try Recipe(text: try #require(Recipe.shippedText(recipe)), path: "\(recipe).yaml"),
            DestinationSettings(
                destination: "mine", values: values.merging(settings) { $1 }, secrets: secrets,
                secretStore: TransientSecrets(secrets)),
            transport: FakeService { _ in HTTPResponse(status: 500, headers: [], body: []) })
        #expect(submitter.capabilities.visibility == visibility, "\(recipe) \(settings)")
    }

    @Test func `of each service that comes with submit is known`() {
        #expect(Set(Self.cases.map(\.recipe)) == Set(Recipe.shipped))
    }
}

import Submit
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

@Suite
struct LimitTests {
    private static let limits = """
        limits:
          photo: { max_bytes: 5000, mimes: [image/jpeg, image/png] }
          caption_max: 20
          ask:
            request: { method: GET, url: /limits }
            capture: { photo: { json: /photo, optional: true }, words: { json: /words, optional: true }, types: { json: /types, optional: true } }
            photo: { max_bytes: ask.photo, mimes: ask.types }
            caption_max: ask.words
        """

    private func outcome(
        _ said: String, status: Int = 200, count: Int = 1000, caption: String? = "Fjord"
    ) async throws -> Result<Receipt, SubmitFailure> {
        let service = FakeService { seen in seen.path == "/limits" ? json(status, said) : json(200, #"{"id":"x"}"#) }
        return await (try Endeavour(OneStep.recipe(more: Self.limits), count: count, caption: caption))
            .attempt(at: service)
    }

    @Test func `what a service says of its limits holds, and never more than the recipe's own`() async throws {
        _ = try await outcome(#"{"photo":1000,"words":5,"types":["image/jpeg"]}"#).get()
        for (said, count) in [
            (#"{"photo":999}"#, 1000), (#"{"photo":99999}"#, 5001), (#"{"words":4}"#, 10),
            (#"{"types":["image/png"]}"#, 10),
        ] {
            guard case .failure(let failure) = try await outcome(said, count: count) else {
                Issue.record("\(said) was not kept to")
                continue
            }
            #expect(failure.remedy == .giveUp)
        }
    }

    @Test func `a service that does not know the question keeps to the recipe's limits`() async throws {
        _ = try await outcome("{}", status: 404).get()
        guard case .failure(let failure) = try await outcome("{}", status: 503) else {
            Issue.record("trouble was taken for an answer")
            return
        }
        #expect(failure.remedy == .tryAnother(after: nil))
    }

    @Test func `who makes renditions is told what the service says, and never more than the recipe does`() async throws
    {
        let recipe = try Recipe(
            text: OneStep.recipe(
                more: Self.limits.replacing(
                    "photo: { max_bytes: ask.photo,", with: "photo: { max_bytes: ask.photo, max_pixels: ask.words,")),
            path: "test.yaml")
        let said = #"{"photo":4000,"words":12,"types":["image/jpeg","image/gif"]}"#
        let service = FakeService { _ in json(200, said) }
        let secrets = ["access_token": "a", "api_key": "k", "token": "t", "password": "p"]
        let submitter = try RecipeSubmitter(
            recipe,
            DestinationSettings(
                destination: "mine", values: ["server": "https://a.example"], secrets: secrets,
                secretStore: TransientSecrets(secrets)), transport: service)
        let limits = try #require(submitter.facets.limits)
        let photo = try await limits.limits(of: .photo)
        #expect(photo == ItemLimits(maximumSize: 4000, maximumPixels: 12, mimeTypes: ["image/jpeg"]))
        #expect(try await limits.limits(of: .video) == ItemLimits())
    }

    @Test func `facts are what the recipe says`() throws {
        let recipe = try Recipe(text: OneStep.recipe(more: Self.limits), path: "test.yaml")
        let facts = recipe.capabilities(jobs: 2)
        #expect(facts.maximumSize == [.photo: 5000])
        #expect(facts.captionLimit == 20)
        #expect(facts.ordering == .concurrent(2))
        #expect(facts.mimeTypes == nil, "videos of all types are taken")
        #expect(!facts.supportsAlbums && !facts.canResume)
        #expect(try Recipe(text: Shape.immich.recipe, path: "x").capabilities().digests == [.sha1])
        #expect(try Recipe(text: Shape.google.recipe, path: "x").capabilities().canResume)
    }
}

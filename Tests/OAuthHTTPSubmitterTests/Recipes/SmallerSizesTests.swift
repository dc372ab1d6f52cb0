import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A WordPress that stores a photo and then dies while it makes smaller sizes of it, as core does since 5.3.
@Suite struct `A WordPress that dies while it makes smaller sizes` {
    private struct Library {
        var uploads = 0
        var works = 0
    }

    /// - Parameters:
    ///   - deaths: how many requests for sizes it dies in.
    ///   - loses: the answer to the upload is lost, so that the media library has to be asked.
    private func run(
        deaths: Int, loses: Bool = false
    ) async throws -> (receipt: Receipt, uploads: Int, works: Int) {
        let library = Locked(Library())
        let service = FakeService { seen in
            let route = seen.query["rest_route"] ?? ""
            return library.withLock { library in
                let isWhole = library.works > deaths
                let slug = seen.query["slug"] ?? ""
                let missing = isWhole ? "[]" : #"["medium", "large"]"#
                let item =
                    #"{"id": 10, "slug": "\#(slug)", "source_url": "https://b/10.jpg", "missing_image_sizes": \#(missing)}"#
                switch (seen.method, route) {
                case ("POST", "/wp/v2/media"):
                    library.uploads += 1
                    if loses { return plain(502) }
                    return json(500, #"{"code": "internal_server_error"}"#, [("X-WP-Upload-Attachment-ID", "10")])
                case ("POST", "/wp/v2/media/10/post-process"):
                    library.works += 1
                    let isDone = library.works > deaths
                    return isDone
                        ? json(200, item.replacing(missing, with: "[]"))
                        : json(500, #"{"code": "internal_server_error"}"#, [("X-WP-Upload-Attachment-ID", "10")])
                case ("GET", "/wp/v2/media"): return json(200, "[\(item)]")
                default: return json(404, #"{"code": "rest_no_route"}"#)
                }
            }
        }
        let recipe = try Recipe(text: try #require(Recipe.shippedText("wordpress")), path: "wordpress.yaml")
        let settings = DestinationSettings(
            destination: "blog", values: ["site": FakeService.url, "user": "me"],
            secrets: ["password": "hunter2-hunter2"])
        let endeavour = StandInEndeavour({ (_, clock) throws(SubmitFailure) in
            try RecipeSubmitter(recipe, settings, transport: service, clock: clock)
        })
        let receipt = try await endeavour.run().get()
        let end = library.withLock { $0 }
        return (receipt, end.uploads, end.works)
    }

    @Test(arguments: [0, 4], [false, true])
    func `is asked for the sizes, and gets the photo once`(deaths: Int, loses: Bool) async throws {
        let (receipt, uploads, works) = try await run(deaths: deaths, loses: loses)
        #expect(receipt.remoteID == "10" && receipt.evidence == .verified && receipt.note == nil)
        #expect(receipt.url == "https://b/10.jpg")
        #expect(uploads == 1 && works == deaths + 1)
    }

    @Test(arguments: [false, true])
    func `is asked five times, and the receipt says that sizes are missing`(loses: Bool) async throws {
        let (receipt, uploads, works) = try await run(deaths: .max, loses: loses)
        #expect(receipt.remoteID == "10" && receipt.evidence == .verified)
        #expect(receipt.note?.contains("smaller sizes") == true)
        #expect(uploads == 1 && works == 5)
    }
}

import Submit
import SubmitRecipes
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter

@Suite
struct PlanningTests {
    private func plan(_ shape: Shape, count: Int = 1000, album: String? = nil) async throws -> [PlannedRequest] {
        let endeavour = try Endeavour(shape.recipe, count: count, caption: "A “fjord”")
        let service = FakeService { _ in json(500, "{}") }
        let plan = try await endeavour.submitter(service).requests(
            for: endeavour.item, bytes: endeavour.bytes, album: album)
        #expect(service.requests.isEmpty)
        return plan
    }

    @Test(arguments: Shape.all)
    func `a plan names every step, sends nothing and shows no secret`(shape: Shape) async throws {
        let plan = try await plan(shape, album: shape.album)
        let text = plan.map(\.description).joined(separator: "\n\n")
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("~~"))
        #expect(plan.allSatisfy { $0.headers.contains { $0.name == "x-key" && $0.value == "…" } })
        #expect(plan.count >= 1)
    }

    @Test func `what is not known yet stands in braces`() async throws {
        let plan = try await plan(Shape.google)
        #expect(plan.map(\.purpose) == ["start", "bytes", "create"])
        #expect(plan[1].url == "{start.url}")
        #expect(plan[1].note == "the first of 4 pieces of 300 bytes")
        #expect(plan[1].body == "<300 bytes of photo.jpg>")
        #expect(plan[2].body == #"{"token":"{bytes.token}"}"#)
    }

    @Test func `a form is shown with the file as what it is`() async throws {
        let plan = try await plan(Shape.mastodon)
        #expect(
            plan[0].body.contains("filename=\"photo.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n<1000 bytes of photo.jpg>")
        )
        #expect(plan[0].body.contains("A “fjord”"))
        #expect(plan[1].url == "https://service.example/media/{media.id}")
        #expect(plan[1].note == "until the service is ready")
    }

    @Test func `an album's requests are planned where they belong`() async throws {
        let plan = try await plan(Shape.flickr, album: "Summer")
        #expect(plan.map(\.purpose) == ["album", "up", "wait", "album", "album"])
        #expect(plan[3].url.contains("title=Summer&primary={receipt.id}"))
    }
}

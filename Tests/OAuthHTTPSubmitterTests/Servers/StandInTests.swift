import TestServers
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// That a stand-in counts, refuses and fails as it is told.
@Suite struct `A stand-in of a service` {
    @Test(arguments: ServiceServer.Service.allCases)
    func `starts empty, in place of all its hosts`(service: ServiceServer.Service) async throws {
        let server = try await ServiceServer(service)
        let state = try await server.state()
        #expect(state.items.isEmpty && state.posts.isEmpty && state.sessions == 0)
        let recipe = server.redirecting(try #require(Recipe.shippedText(service.recipe)))
        #expect(throws: Never.self) { try Recipe(text: recipe, path: service.recipe) }
        for host in server.hosts { #expect(!recipe.contains(host)) }
    }

    @Test func `is as at the start after a reset, with what is planned then`() async throws {
        let server = try await ServiceServer(.imgur)
        let upload = [
            "curl", "-sS", "--noproxy", "*", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}", "-H",
            "Authorization: Bearer \(try server.credential("ACCESS_TOKEN"))", "-F", "image=bytes;filename=a.jpg",
            "\(server.endpoint)/3/image",
        ]
        func send() async throws -> String { try await ChildProcess.output(of: upload) }
        #expect(try await send() == "200")
        try await server.change(["maxPhoto": "1"])
        try await server.expireTokens()
        try await server.plan(.answer(500).on("*", times: 0))
        try await server.reset(.answer(429).on("*"))
        let state = try await server.state()
        #expect(state.items.isEmpty && state.openFaults == 1)
        #expect(try await server.requests().isEmpty)
        #expect(try await send() == "429")
        #expect(try await send() == "200")
        #expect(try await server.state().items.count == 1)
    }

    @Test func `says what it holds, what came, and suffers what is planned`() async throws {
        let server = try await ServiceServer(.imgur)
        let files = TemporaryFolder()
        let photo = try files.write("bytes", to: "a.jpg")
        let upload = [
            "-H", "Authorization: Bearer \(try server.credential("ACCESS_TOKEN"))", "-F", "title=A title",
            "-F", "image=@\(photo);type=image/jpeg", "\(server.endpoint)/3/image",
        ]
        func send() async throws -> String {
            try await ChildProcess.output(
                of: ["curl", "-sS", "--noproxy", "*", "--max-time", "60", "-w", " %{http_code}"] + upload)
        }
        try await server.plan(.answer(429).at("image"), .doneButAnswer(500).at("image"))
        #expect(try await send().hasSuffix(" 429"))
        #expect(try await server.state().items.isEmpty)
        #expect(try await send().hasSuffix(" 500"))
        #expect(try await server.state().items.map(\.title) == ["A title"])
        #expect(try await send().hasSuffix(" 200"))
        #expect(try await server.openFaults() == 0)
        #expect(try await server.requests().map(\.step) == ["image", "image", "image"])
        try await server.expireTokens()
        #expect(try await send().hasSuffix(" 403"))
        #expect(try await server.state().items.count == 2)
    }
}

extension ServiceServer.Service {
    /// The recipe that it stands in for.
    var recipe: String { self == .hatena ? "hatena-fotolife" : rawValue }
}

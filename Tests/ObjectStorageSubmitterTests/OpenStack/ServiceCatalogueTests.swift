import Submit
import SubmitHTTP
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `The object store in a catalogue` {
    private func storage(
        _ values: [String: String], _ endpoints: [(interface: String, region: String, url: String)]
    ) async throws -> String {
        let cloud = FakeCloud { _ in .success(.token("t", catalogue: HTTPResponse.endpoints(endpoints))) }
        return try await cloud.keeper(values).storage().url("")
    }

    private let regions = [
        (interface: "internal", region: "One", url: "https://in.one.example/v1/A"),
        (interface: "public", region: "One", url: "https://one.example/v1/A"),
        (interface: "public", region: "Two", url: "https://two.example/v1/A"),
    ]

    @Test(arguments: [
        (["region_name": "One"], "https://one.example/v1/A"), (["region_name": "Two"], "https://two.example/v1/A"),
        (["region_name": "One", "interface": "internal"], "https://in.one.example/v1/A"),
        (["interface": "internalURL"], "https://in.one.example/v1/A"),
    ])
    func `is found by region and interface`(values: [String: String], url: String) async throws {
        #expect(try await storage(values, regions) == url)
    }

    @Test func `needs no region where there is one address`() async throws {
        #expect(try await storage([:], Array(regions.prefix(2))) == "https://one.example/v1/A")
        let twice = regions[2...] + [(interface: "public", region: "Three", url: "https://two.example/v1/A")]
        #expect(try await storage([:], Array(twice)) == "https://two.example/v1/A")
    }

    @Test(arguments: [
        (["region_name": "Tow"], "the region “Tow”, but in “One”, “Two”"),
        (["region_name": "Two", "interface": "internal"], "no internal address in the region “Two”, but “public”"),
        (["interface": "admin"], "no admin address, but “internal”, “public”"),
        ([:], "there are object stores in “One”, “Two”; set the region"),
    ])
    func `that is not found makes a sentence that says what there is`(values: [String: String], words: String) async {
        let failure = await #expect(throws: SubmitFailure.self) { try await storage(values, regions) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil) && failure?.code == "no-endpoint")
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test func `that is none makes a sentence that says what there is`() async throws {
        let failure = await #expect(throws: SubmitFailure.self) { try await storage([:], []) }
        #expect(failure?.message.contains("has no object store, but “identity”, “object-store”") == true)
        let cloud = FakeCloud { _ in .success(.token("t", catalogue: "null")) }
        let second = await #expect(throws: SubmitFailure.self) { try await cloud.keeper().storage() }
        #expect(second?.message.contains("set “project_name”") == true)
    }

    @Test func `is not sent a token over http, unless that is allowed`() async throws {
        let plain = [(interface: "public", region: "One", url: "http://store.example/v1/A")]
        let failure = await #expect(throws: SubmitFailure.self) { try await storage([:], plain) }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.message.contains("http://store.example") == true)
        #expect(failure?.message.contains("“storage_url”") == true && failure?.message.contains("insecure") == true)
        #expect(try await storage(["insecure": "true"], plain) == "http://store.example/v1/A")
        let near = [(interface: "public", region: "One", url: "http://127.0.0.1:8080/v1/A")]
        #expect(try await storage([:], near) == "http://127.0.0.1:8080/v1/A")
    }

    @Test func `that has no address makes a sentence`() async {
        let wrong = [(interface: "public", region: "One", url: "store.example/v1")]
        let failure = await #expect(throws: SubmitFailure.self) { try await storage([:], wrong) }
        #expect(failure?.code == "no-endpoint" && failure?.message.contains("“store.example/v1”") == true)
    }
}

import Submit
import Testing

@Suite struct `Settings of a destination` {
    private struct Nothing: Submitter {
        var capabilities: Capabilities { Capabilities(ordering: .sequential, requiresNetwork: false) }
        var facets: Facets { Facets() }
        func submit(
            _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
        ) async throws(SubmitFailure) -> Receipt { Receipt(remoteID: "x", evidence: .unknown) }
        func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}
        func check() async throws(SubmitFailure) -> String { "It is there." }
    }

    private let type = SubmitterType(
        name: "disk", summary: "A disk.", capabilities: Capabilities(ordering: .sequential, requiresNetwork: false),
        settings: [
            SettingKey("template", .text, summary: "Where items go."),
            SettingKey("path", .path, summary: "The folder."),
            SettingKey("password", .secret, summary: "The password."),
        ],
        make: { _ in Nothing() })

    @Test func `are refused where the type has none of that name, with the nearest one`() throws {
        let failure = #expect(throws: SubmitFailure.self) {
            _ = try type.make(DestinationSettings(destination: "d", values: ["templat": "{year}"]))
        }
        #expect(
            failure?.message.contains("“templat” is no setting of the destination “d”") == true,
            "\(failure?.message ?? "")")
        #expect(failure?.message.contains("template") == true)
    }

    @Test func `are refused where one of them is a secret, which no description shows`() throws {
        let settings = DestinationSettings(
            destination: "d", values: ["password": "hunter22"], secrets: ["password": "hunter23"])
        for text in [
            "\(settings)", String(reflecting: settings), "\(Mirror(reflecting: settings).children.map(\.value))",
        ] {
            #expect(!text.contains("hunter"), "\(text)")
        }
        let failure = #expect(throws: SubmitFailure.self) { _ = try type.make(settings) }
        #expect(failure?.message.contains("is a secret") == true && failure?.message.contains("hunter") == false)
        _ = try type.make(
            DestinationSettings(destination: "d", values: ["path": "/x"], secrets: ["password": "hunter23"]))
    }

    @Test(arguments: [
        ("16M", 16 << 20), ("16MiB", 16 << 20), ("64k", 64 << 10), ("8MB", 8_000_000), ("1.5G", 3 << 29), ("800", 800),
        ("5GiB", 5 << 30), ("0", nil), ("6G", nil), ("-1k", nil), ("much", nil), ("1e3", nil),
    ])
    func `sizes are read as everywhere else, up to 5 GiB`(text: String, bytes: Int64?) {
        let settings = DestinationSettings(destination: "d", values: ["part_size": text])
        #expect((try? settings.size("part_size")) == bytes)
    }
}

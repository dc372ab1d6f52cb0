import Submit
import Testing

@testable import WebDAVSubmitter

@Suite struct `Dates of capture at a WebDAV server` {
    @Test(arguments: [
        (["template": "{name}"], false), (["template": "{year}/{month}/{name}"], true), ([:], false),
        (["captions": "properties"], false), (["captions": "sidecar"], true),
    ])
    func `are asked for where folders, names or sidecars tell them`(
        values: [String: String], isDated: Bool
    ) throws {
        let type = WebDAVSubmitter.submitterType(transport: FakeDAV())
        let all = ["url": "http://127.0.0.1:9/"].merging(values) { $1 }
        let submitter = try type.make(DestinationSettings(destination: "cloud", values: all))
        #expect(submitter.capabilities.usesCaptureTime == isDated)
        #expect(type.capabilities.usesCaptureTime)
    }
}

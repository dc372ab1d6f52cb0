import Submit
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import Testing

/// Names with what has a meaning in URLs, or is none of ASCII.
let oddNames = [
    "ocean?.jpg", "sea;1.jpg", "a#b.jpg", "100%25.jpg", "two  spaces .jpg", "a+b&c=d.jpg", "...jpg", "写真-🌅.jpg",
    "quote'\".jpg", "a,b@c:d!$.jpg",
]

/// Submits an item by each of ``oddNames``, and looks by a link to each receipt's URL what is there.
func expectAddresses(of submitter: any Submitter, _ transport: any HTTPTransport) async throws {
    let links = try #require(submitter.facets.links)
    for (number, name) in oddNames.enumerated() {
        let content = ScriptedBytes.content(count: 300, seed: UInt64(number))
        let receipt = try await submitter.submit(content, named: name)
        #expect(receipt.evidence == .verified && receipt.remoteID == name)
        let link = try await links.link(to: receipt, validFor: .seconds(600))
        #expect(link.hasPrefix((receipt.url ?? "none") + "?"), "\(name)")
        let answer = try await transport.send(HTTPRequest(method: "GET", url: link))
        #expect(answer.status == 200 && answer.body == content, "\(name)")
    }
}

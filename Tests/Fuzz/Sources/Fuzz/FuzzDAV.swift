internal import Submit
internal import SubmitHTTP
internal import SubmitXML

@testable internal import WebDAVSubmitter

/// Does all that is done with an answer of a WebDAV server and of the clouds that speak it.
func fuzzDAV(_ bytes: [UInt8]) {
    let answer = HTTPResponse(fuzzed: bytes)
    readMultistatus(answer.body)
    _ = DAVErrorDocument(answer.body)
    _ = DAVLock.granted(answer.body)
    _ = NextcloudAnswer.Begun(answer.body)
    _ = NextcloudAnswer.Granted(answer.body)
    if let offer = TusOffer(answer) { precondition(offer.largest ?? 0 >= 0) }
    precondition(answer.uploadOffset ?? 0 >= 0)
    _ = answer.hasUploadExpired(now: now)
    if let endpoint { readLocation(answer["Location"], endpoint) }
    // Long ones take long, and tell no more.
    readText(String(decoding: bytes.prefix(512), as: UTF8.self))
}

private let asked = DAVPath(["dav", "f"], isCollection: true)
private let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)
private let endpoint = try? Endpoint("https://dav.example.org/base")

/// Where an upload is sent on to is on the same server, and is one path.
private func readLocation(_ text: String?, _ endpoint: Endpoint) {
    guard case .path(let path)? = TusLocation(text, from: "/dav/f/", at: endpoint) else { return }
    precondition(path.hasPrefix("/") && path.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    let segments = path.prefix { $0 != "?" }.split(separator: "/")
    precondition(!segments.contains(".") && !segments.contains(".."))
}

private func readMultistatus(_ body: [UInt8]) {
    guard let responses = try? Multistatus.parse(body) else { return }
    _ = DAVListing(responses, of: asked, now: now)
    for response in responses {
        readPath(response.href)
        guard let resource = DAVResource(response, now: now) else { continue }
        precondition(resource.size ?? 0 >= 0)
        let values = response.properties.values.map { ProppatchBody.Value(name: $0.name, text: $0.text) }
        // Names that came out of a document go into one; a local name without a namespace may keep a foreign prefix.
        if values.allSatisfy({ !$0.name.local.contains(":") }) {
            precondition((try? XMLReader.elements(ProppatchBody(set: values).bytes) { _ in }) != nil)
        }
    }
}

/// A path that was read is read again as the same one.
private func readPath(_ href: String) {
    guard let path = DAVPath(href: href) else { return }
    precondition(DAVPath(href: path.encoded) == path)
    precondition(path.relation(to: path) == .itself)
    _ = path.relation(to: asked)
}

/// The input as what stands in an element: random changes seldom leave a whole document well-formed.
private func readText(_ text: String) {
    readPath(text)
    _ = Timestamp(davDate: text, now: now)
    let names: [XMLName] =
        DAVResource.properties + [.dav("iscollection"), .dav("timeout"), .ownCloud("checksum"), .dav("lockdiscovery")]
    let elements = names.map { XMLElement($0, text: text) }
    var response = Multistatus.Response(href: text)
    for name in names { response.properties[name] = XMLElement(name, text: text, children: elements) }
    let lock = XMLElement(.dav("activelock"), children: elements)
    response.properties[.dav("lockdiscovery")] = XMLElement(.dav("lockdiscovery"), children: [lock])
    if let resource = DAVResource(response, now: now) { precondition(resource.quotaAvailable ?? 0 >= 0) }
}

internal import Glibc
internal import Submit
internal import SubmitXML

@main
private enum FuzzXML {
    /// libFuzzer's own main function cannot be had: the package manager makes one of this.
    static func main() {
        var count = CommandLine.argc
        var arguments = Optional(CommandLine.unsafeArgv)
        exit(runFuzzer(&count, &arguments, fuzz))
    }
}

/// "Using libFuzzer as a library" in LLVM's documentation.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ fuzz: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Does all that is done with a body from a WebDAV server. It must end, and without a fall.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = Array(UnsafeBufferPointer(start: start, count: count))
    readPieces(body)
    readMultistatus(body)
    _ = DAVErrorDocument(body)
    _ = DAVLock.granted(body)
    // Long ones take long, and tell no more.
    readText(String(decoding: body.prefix(512), as: UTF8.self))
    return 0
}

private let asked = DAVPath(["dav", "f"], isCollection: true)
private let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)

/// Starts and ends must fit each other, whatever comes.
private func readPieces(_ body: [UInt8]) {
    let reader = XMLReader(body)
    var open: [XMLName] = []
    while let piece = (try? reader.next()) ?? nil {
        switch piece {
        case .start(let name): open.append(name)
        case .text: precondition(!open.isEmpty)
        case .end(let name): precondition(open.popLast() == name)
        }
    }
    if (try? reader.next()) != nil { precondition(open.isEmpty) }
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
    readBack(text)
}

/// A text that is sent arrives, except for what XML cannot hold.
private func readBack(_ text: String) {
    let value = ProppatchBody.Value(name: XMLName("caption", namespace: text), text: text)
    var found: XMLElement?
    let limits = XMLLimits(nameBytes: 1 << 20)
    do {
        _ = try XMLReader.elements(ProppatchBody(set: [value]).bytes, limits: limits) { found = $0 }
    } catch XMLFailure.documentType {
        preconditionFailure("no text looks like a document type")
    } catch {
        // A namespace may be none, and a text too long.
        return
    }
    let kept = text.unicodeScalars.filter {
        $0.value >= 0x20 && $0 != "\u{FFFE}" && $0 != "\u{FFFF}" || "\t\n\r".unicodeScalars.contains($0)
    }
    let texts = found?.children.first?.children.map(\.text) ?? []
    precondition(texts == [String(kept)])
}

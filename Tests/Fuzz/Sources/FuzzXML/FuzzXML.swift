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

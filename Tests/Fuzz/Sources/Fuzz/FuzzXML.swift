internal import SubmitXML

@testable internal import WebDAVSubmitter

/// Reads a document piece by piece, and texts that are written into one.
func fuzzXML(_ body: [UInt8]) {
    readPieces(body)
    _ = try? XMLReader.firstValues(body)
    // Long ones take long, and tell no more.
    readBack(String(decoding: body.prefix(512), as: UTF8.self))
}

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

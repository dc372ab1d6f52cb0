internal import Foundation

/// Reads what phones and browsers send besides photos: forms, what tus tells of a file, names.
func fuzzReceiving(_ bytes: [UInt8]) {
    let size = Int(bytes.first ?? 1) + 1
    let whole = events(of: bytes, by: .max)
    // However the network cuts it.
    precondition(events(of: bytes, by: size) == whole)
    let text = String(decoding: bytes, as: UTF8.self)
    if let metadata = TusMetadata(text) {
        let told = TusMetadata(TusMetadata.text(name: metadata.name ?? "", type: nil))
        precondition(told?.name == metadata.name ?? "")
    }
    let sent = SentName(text)
    for name in [sent.name] + (sent.folder?.split(separator: "/").map(String.init) ?? []) {
        precondition((1...255).contains(name.utf8.count))
        precondition(!name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 } && name != "." && name != "..")
    }
    precondition(SentName(sent.name).name == sent.name)
}

/// All that comes of a form, with pieces that belong together joined; `nil` at the end where it is at fault.
private func events(of bytes: [UInt8], by size: Int) -> [MultipartParser.Event?] {
    guard var parser = MultipartParser(contentType: "multipart/form-data; boundary=xYz", mostParts: 100) else {
        return []
    }
    var events: [MultipartParser.Event?] = []
    var rest = bytes[...]
    while true {
        do {
            while let event = try parser.next() {
                if case .data(let more) = event, case .data(let before)?? = events.last {
                    events[events.count - 1] = .data(before + more)
                } else {
                    events.append(event)
                }
                if event == .end { return events }
            }
        } catch {
            return events + [nil]
        }
        if rest.isEmpty { parser.finish() } else { parser.push(rest.prefix(size)) }
        rest = rest.dropFirst(size)
    }
}

/// A packet of XMP that has nothing but words which somebody asked to have written: each tag is one of a few, each text one of
/// these words (ISO 16684-1, 7).
enum ScannedXMP {
    private static let tags: Set<String> = [
        "?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?", "?xpacket end=\"r\"?",
        "x:xmpmeta xmlns:x=\"adobe:ns:meta/\"", "/x:xmpmeta",
        "rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"", "/rdf:RDF",
        "rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"", "/rdf:Description",
        "dc:creator", "/dc:creator", "dc:description", "/dc:description", "dc:rights", "/dc:rights", "dc:subject",
        "/dc:subject", "rdf:Seq", "/rdf:Seq", "rdf:Alt", "/rdf:Alt", "rdf:Bag", "/rdf:Bag", "rdf:li",
        "rdf:li xml:lang=\"x-default\"", "/rdf:li",
    ]

    static func traces(in packet: [UInt8], at offset: Int64, telling words: PhotoWords) -> FoundTraces {
        var found = FoundTraces()
        if words.isEmpty {
            found.add("XMP", at: offset)
            return found
        }
        // A word is written as often as it was asked for.
        var wanted = ([words.caption, words.creator, words.copyright].compactMap(\.self) + words.tags).map {
            Array($0.utf8)
        }
        var rest = packet[...]
        while let first = rest.first {
            if first == UInt8(ascii: "<") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")),
                    tags.contains(String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self))
                else { break }
                rest = rest[(end + 1)...]
                continue
            }
            let text = rest.prefix { $0 != UInt8(ascii: "<") }
            if let index = wanted.firstIndex(of: unescaped(text)) {
                wanted.remove(at: index)
            } else if text != [UInt8(ascii: "\n")] {
                break
            }
            rest = rest[text.endIndex...]
        }
        if !rest.isEmpty { found.add("XMP that nobody asked for", at: offset) }
        if !wanted.isEmpty { found.add("XMP that lacks what was asked for", at: offset) }
        return found
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let first = rest.first {
            let entity = entities.first { rest.starts(with: $0.name.utf8) }
            bytes.append(entity?.byte ?? first)
            rest = rest.dropFirst(entity?.name.utf8.count ?? 1)
        }
        return bytes
    }

    private static let entities: [(name: String, byte: UInt8)] = [
        ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&amp;", UInt8(ascii: "&")),
    ]
}

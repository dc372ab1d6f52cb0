internal import Submit

/// The words that are written into a photo as XMP (ISO 16684-1, 7 and 8.4: the properties of Dublin Core).
enum WrittenXMP {
    /// A whole packet; `nil` where there are no words.
    static func packet(_ words: PhotoWords) -> [UInt8]? {
        if words.isEmpty { return nil }
        func property(_ name: String, _ list: String, _ texts: [String], _ attribute: String = "") -> String {
            if texts.isEmpty { return "" }
            let items = texts.map { "<rdf:li\(attribute)>\($0.escaping(.ofMarkup))</rdf:li>" }.joined()
            return "<dc:\(name)><rdf:\(list)>\(items)</rdf:\(list)></dc:\(name)>\n"
        }
        let texts =
            property("creator", "Seq", [words.creator].compactMap(\.self))
            + property("description", "Alt", [words.caption].compactMap(\.self), anyLanguage)
            + property("rights", "Alt", [words.copyright].compactMap(\.self), anyLanguage)
            + property("subject", "Bag", words.tags)
        return Array(
            """
            <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
            \(texts)</rdf:Description>
            </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="r"?>
            """.utf8)
    }

    private static let anyLanguage = " xml:lang=\"x-default\""
}

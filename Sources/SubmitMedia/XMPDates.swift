internal import Submit
internal import SubmitXML

/// The dates in a packet of XMP (ISO 16684-1, sections 7 and 8), in UTF-8, as all files but text keep it.
struct XMPDates {
    let original: CaptureTime?
    let created: CaptureTime?
    /// The day of ``created``, at midnight, if the packet has no time.
    let createdDay: CaptureTime?
    let digitized: CaptureTime?

    /// `nil` for what is not well-formed, or longer than a MiB: it has no dates that are known.
    init?(_ packet: FileRegion) {
        guard packet.length <= Self.mostBytes, let values = Self.values(of: packet.bytes(Self.mostBytes)) else {
            return nil
        }
        func time(_ name: XMLName) -> CaptureTime? {
            values[name].flatMap { CaptureText.time(String($0.drop(while: \.isWhitespace))) }
        }
        original = time(Self.dateTimeOriginal)
        created = time(Self.dateCreated)
        createdDay = values[Self.dateCreated].flatMap { CaptureText.day(String($0.drop(while: \.isWhitespace))) }
        digitized = time(Self.createDate)
    }

    private static let mostBytes = 1 << 20

    /// Properties of the photo itself: those of what it was made from stand deeper. Of two of a name the first counts.
    private static func values(of packet: [UInt8]) -> [XMLName: String]? {
        // Programs fill up with zeros what was reserved.
        let text = packet.drop { [0xef, 0xbb, 0xbf].contains($0) }
        let reader = XMLReader(
            Array(text[..<(text.lastIndex { $0 != 0 }.map { $0 + 1 } ?? text.startIndex)]),
            // Raw converters write each of their settings as an attribute.
            limits: XMLLimits(bytes: mostBytes, attributes: 2048, nodes: 100_000))
        var values: [XMLName: String] = [:]
        var open: [XMLName] = []
        /// How many of them the list of nodes is in, itself too.
        var listLevel = Int.max
        var value = ""
        do {
            while let piece = try reader.next() {
                // 0: in RDF's list of nodes, 1: in a node, 2: in a property of one.
                let level = listLevel == .max ? -1 : open.count - listLevel
                switch piece {
                case .start(let name):
                    if level == 0 {
                        for (name, value) in reader.startedAttributes() where dates.contains(name) {
                            values[name] = values[name] ?? value
                        }
                    }
                    if level == 1 { value = "" }
                    open.append(name)
                    if listLevel == .max, name == list { listLevel = open.count }
                case .text(let text):
                    if level == 2 { value += text }
                case .end(let name):
                    if level == 2, dates.contains(name) { values[name] = values[name] ?? value }
                    open.removeLast()
                }
            }
        } catch {
            return nil
        }
        return values
    }

    private static let list = XMLName("RDF", namespace: "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
    private static let dateTimeOriginal = XMLName("DateTimeOriginal", namespace: "http://ns.adobe.com/exif/1.0/")
    private static let dateCreated = XMLName("DateCreated", namespace: "http://ns.adobe.com/photoshop/1.0/")
    private static let createDate = XMLName("CreateDate", namespace: "http://ns.adobe.com/xap/1.0/")
    private static let dates: Set = [dateTimeOriginal, dateCreated, createDate]
}

internal import Submit

/// Apple's metadata (QuickTime File Format, “Metadata”): a few values that are what they should be, written anew.
struct CleanMovieMeta {
    private static let keys: [(name: String, fact: KeptFact)] = [
        ("com.apple.quicktime.creationdate", .date), ("com.apple.quicktime.make", .camera),
        ("com.apple.quicktime.model", .camera), ("com.apple.quicktime.copyright", .copyright),
    ]

    private var values: [String: [UInt8]] = [:]
    /// QuickTime's own has no version.
    private var hasVersion = false

    /// What cannot be read of it is none of them.
    init(_ bytes: [UInt8], _ range: Range<Int>, _ facts: Set<KeptFact>) {
        hasVersion = range.count >= 8 && bytes.bigEndian(at: range.lowerBound + 4, width: 4) != 0x6864_6c72
        let start = range.lowerBound + (hasVersion ? 4 : 0)
        guard start <= range.upperBound, let boxes = try? bytes.boxes(in: start..<range.upperBound).boxes,
            let handler = boxes.first(where: { $0.name == "hdlr" })?.content, handler.count >= 12,
            bytes[handler.lowerBound + 8..<handler.lowerBound + 12].elementsEqual("mdta".utf8),
            let names = boxes.first(where: { $0.name == "keys" })?.content, names.count >= 8,
            let list = boxes.first(where: { $0.name == "ilst" })?.content,
            let keys = try? bytes.boxes(in: names.lowerBound + 8..<names.upperBound).boxes,
            let items = try? bytes.boxes(in: list).boxes
        else { return }
        for item in items {
            let number = bytes.bigEndian(at: item.whole.lowerBound + 4, width: 4)
            guard keys.indices.contains(number - 1), keys[number - 1].name == "mdta",
                keys[number - 1].content.count <= 64
            else { continue }
            let name = String(decoding: bytes[keys[number - 1].content], as: UTF8.self)
            guard let fact = Self.keys.first(where: { $0.name == name })?.fact, facts.contains(fact),
                values[name] == nil,
                let data = try? bytes.boxes(in: item.content).boxes.first(where: { $0.name == "data" })?.content,
                data.count >= 8, bytes.bigEndian(at: data.lowerBound, width: 4) == 1
            else { continue }
            let text = Array(bytes[data.dropFirst(8).prefix(256)])
            if fact == .date ? Self.isDate(text) : Self.isPlain(text, ofCamera: fact == .camera) { values[name] = text }
        }
    }

    private static func isPlain(_ text: [UInt8], ofCamera: Bool) -> Bool {
        (1...255).contains(text.count) && KeptText.mayStay(text, ofCamera: ofCamera)
    }

    /// `2024-05-06T07:08:09+0900`, with a colon in the zone or `Z`.
    private static func isDate(_ text: [UInt8]) -> Bool {
        let shape = String(decoding: text.map { (48...57).contains($0) ? UInt8(ascii: "0") : $0 }, as: UTF8.self)
        let zones = ["Z", "+0000", "-0000", "+00:00", "-00:00"]
        guard zones.contains(where: { shape == "0000-00-00T00:00:00" + $0 }) else { return false }
        func holds(_ offset: Int, _ range: ClosedRange<Int>) -> Bool {
            range.contains(Int(text[offset] - 48) * 10 + Int(text[offset + 1] - 48))
        }
        return holds(5, 1...12) && holds(8, 1...31) && holds(11, 0...23) && holds(14, 0...59) && holds(17, 0...60)
            && (text.count == 20 || holds(20, 0...14) && holds(text.count - 2, 0...59))
    }

    /// A box with them and one of zeros, as long as both may be; `nil` where there are none, or not enough room.
    func box(ofSize size: Int) -> [UInt8]? {
        let kept = Self.keys.compactMap { key in values[key.name].map { (name: key.name, value: $0) } }
        if kept.isEmpty { return nil }
        var list: [UInt8] = []
        for (index, item) in kept.enumerated() {
            let data: [UInt8] = .box("data", [0, 0, 0, 1, 0, 0, 0, 0] + item.value)
            list += CleanHEIF.number(data.count + 8, 4) + CleanHEIF.number(index + 1, 4) + data
        }
        let names =
            [0, 0, 0, 0] + CleanHEIF.number(kept.count, 4) + kept.flatMap { [UInt8].box("mdta", Array($0.name.utf8)) }
        func meta(_ zeros: Int) -> [UInt8] {
            let handler =
                [UInt8](repeating: 0, count: 8) + Array("mdta".utf8) + [UInt8](repeating: 0, count: 13 + zeros)
            return .box(
                "meta",
                (hasVersion ? [0, 0, 0, 0] : []) + .box("hdlr", handler) + .box("keys", names) + .box("ilst", list))
        }
        let rest = size - meta(0).count
        guard rest >= 0 else { return nil }
        // No box is as short: the handler's name, which is none, ends in as many zeros.
        return rest < 8 ? meta(rest) : meta(0) + .box("free", [UInt8](repeating: 0, count: rest - 8))
    }
}

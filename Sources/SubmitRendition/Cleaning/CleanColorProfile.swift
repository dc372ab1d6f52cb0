/// An ICC profile with what colours are computed from, and none of its words: whose it is, which display it is of, when it was made
/// (ICC.1:2022, 7 to 10).
enum CleanColorProfile {
    /// More than any photo has.
    static let most: Int64 = 16 << 20

    /// The profile written anew; `nil` for what is none: nobody could show colours by it.
    static func bytes(_ profile: [UInt8]) -> [UInt8]? {
        guard profile.count >= 132, Array(profile[36..<40]) == Array("acsp".utf8) else { return nil }
        let size = profile.bigEndian(at: 0, width: 4)
        guard (132...profile.count).contains(size) else { return nil }
        let tags = profile.bigEndian(at: 128, width: 4)
        guard tags <= 100, 132 + 12 * tags <= size else { return nil }
        var kept: [(name: [UInt8], data: [UInt8])] = []
        for index in 0..<tags {
            let place = 132 + 12 * index
            let name = Array(profile[place..<place + 4])
            let (start, count) = (
                profile.bigEndian(at: place + 4, width: 4), profile.bigEndian(at: place + 8, width: 4)
            )
            guard start >= 128, count >= 8, start <= size - count else { continue }
            guard !kept.contains(where: { $0.name == name }),
                let data = numbers(String(decoding: name, as: UTF8.self), profile[start..<start + count])
            else { continue }
            kept.append((name, data))
        }
        guard isUsable(Set(kept.map { String(decoding: $0.name, as: UTF8.self) }), space: profile[16..<20]) else {
            return nil
        }
        let isNew = profile[8] >= 4
        kept.append((Array("desc".utf8), isNew ? localized : description))
        kept.append((Array("cprt".utf8), isNew ? localized : Array("text\0\0\0\0-\0".utf8)))
        return head(profile, kept) + body(kept)
    }

    /// Whether colours can be computed from these tags (ICC.1:2022, sections 8.3 to 8.5): by a table, by curves and a matrix, or by
    /// the one curve of grey.
    private static func isUsable(_ tags: Set<String>, space: ArraySlice<UInt8>) -> Bool {
        if !tags.isDisjoint(with: ["A2B0", "A2B1", "A2B2"]) { return true }
        switch String(decoding: space, as: UTF8.self) {
        case "RGB ": return tags.isSuperset(of: ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"])
        case "GRAY": return tags.contains("kTRC")
        default: return false
        }
    }

    private static func head(_ profile: [UInt8], _ tags: [(name: [UInt8], data: [UInt8])]) -> [UInt8] {
        var head = [UInt8](repeating: 0, count: 128)
        // Version, class, colour space and the one they are connected by; how they are to be rendered.
        head[8] = profile[8]
        head[9] = profile[9]
        head.replaceSubrange(12..<24, with: profile[12..<24])
        head[67] = profile[67] & 3
        // Of some day, and for the one illuminant that there is.
        head.replaceSubrange(24..<30, with: [0x07, 0xd0, 0, 1, 0, 1])
        head.replaceSubrange(36..<40, with: Array("acsp".utf8))
        head.replaceSubrange(68..<80, with: [0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d])
        var table: [UInt8] = []
        table.append(bigEndian: tags.count, width: 4)
        var places: [[UInt8]: Int] = [:]
        var end = 132 + 12 * tags.count
        for tag in tags {
            // Curves are often one for all colours.
            let place = places[tag.data] ?? end
            if places.updateValue(place, forKey: tag.data) == nil { end += padded(tag.data).count }
            table += tag.name
            table.append(bigEndian: place, width: 4)
            table.append(bigEndian: tag.data.count, width: 4)
        }
        var size: [UInt8] = []
        size.append(bigEndian: end, width: 4)
        head.replaceSubrange(0..<4, with: size)
        return head + table
    }

    private static func body(_ tags: [(name: [UInt8], data: [UInt8])]) -> [UInt8] {
        var written: Set<[UInt8]> = []
        return tags.flatMap { written.insert($0.data).inserted ? padded($0.data) : [] }
    }

    private static func padded(_ data: [UInt8]) -> [UInt8] {
        data + [UInt8](repeating: 0, count: -data.count & 3)
    }

    /// What a tag computes colours from, exactly as long as it says; `nil` for any other tag.
    private static func numbers(_ name: String, _ data: ArraySlice<UInt8>) -> [UInt8]? {
        let data = Array(data)
        func number(_ offset: Int, _ width: Int) -> Int? {
            offset + width <= data.count ? data.bigEndian(at: offset, width: width) : nil
        }
        let type = String(decoding: data[..<4], as: UTF8.self)
        let wanted: Int?
        switch (name, type) {
        case ("rXYZ", "XYZ "), ("gXYZ", "XYZ "), ("bXYZ", "XYZ "), ("wtpt", "XYZ "), ("bkpt", "XYZ "), ("lumi", "XYZ "):
            wanted = 20
        case ("rTRC", "curv"), ("gTRC", "curv"), ("bTRC", "curv"), ("kTRC", "curv"):
            wanted = number(8, 4).map { 12 + 2 * $0 }
        case ("rTRC", "para"), ("gTRC", "para"), ("bTRC", "para"), ("kTRC", "para"):
            let counts = [1, 3, 4, 5, 7]
            wanted = number(8, 2).flatMap { counts.indices.contains($0) ? 12 + 4 * counts[$0] : nil }
        case ("chad", "sf32"): wanted = 44
        case ("cicp", "cicp"): wanted = 12
        case (let name, "mft1") where isTable(name), (let name, "mft2") where isTable(name):
            guard data.count >= 52 else { return nil }
            let (inputs, outputs, grid) = (Int(data[8]), Int(data[9]), Int(data[10]))
            guard (1...4).contains(inputs), (1...4).contains(outputs) else { return nil }
            let cells = (0..<inputs).reduce(outputs) { cells, _ in cells * grid }
            if type == "mft1" {
                wanted = 48 + 256 * (inputs + outputs) + cells
            } else {
                wanted =
                    52 + 2
                    * (data.bigEndian(at: 48, width: 2) * inputs + data.bigEndian(at: 50, width: 2) * outputs + cells)
            }
        case (let name, "mAB ") where isTable(name), (let name, "mBA ") where isTable(name): wanted = data.count
        default: wanted = nil
        }
        guard let wanted, wanted <= data.count else { return nil }
        return Array(data[..<4]) + [0, 0, 0, 0] + data[8..<wanted]
    }

    private static func isTable(_ name: String) -> Bool {
        ["A2B0", "A2B1", "A2B2", "B2A0", "B2A1", "B2A2", "gamt"].contains(name)
    }

    /// A text in one language (10.15), and a description as before version 4 (ICC.1:2001-04, 6.5.17): “-”.
    private static let localized: [UInt8] =
        Array("mluc".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 12] + Array("enUS".utf8) + [
            0, 0, 0, 2, 0, 0, 0, 28, 0, 0x2d,
        ]
    private static let description: [UInt8] =
        Array("desc".utf8) + [0, 0, 0, 0, 0, 0, 0, 2, 0x2d, 0] + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
}

internal import Submit
internal import SubmitPlatform

/// What a box is and how long (ISO/IEC 14496-12, 4.2).
struct ScannedBoxHead {
    let type: String
    /// Of the head itself.
    let head: Int64
    /// With its head.
    let length: Int64

    /// - Parameters:
    ///   - bytes: the first sixteen, or as many as there are.
    ///   - left: how many there are to the end of what the box stands in.
    ///   - mayBeOpen: it may go on to there without saying how long it is, as the last box of a file may.
    init?(_ bytes: ArraySlice<UInt8>, left: Int64, mayBeOpen: Bool = false) {
        guard bytes.count >= 8, let short = bytes.number(at: 0, width: 4) else { return nil }
        type = String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self)
        head = short == 1 ? 16 : 8
        switch short {
        case 0 where mayBeOpen: length = left
        case 1:
            guard let long = bytes.number(at: 8, width: 8) else { return nil }
            length = Int64(long)
        default: length = Int64(short)
        }
        guard head...max(head, left) ~= length else { return nil }
    }

    static let fillers: Set<String> = ["free", "skip", "wide"]

    static func printable(_ type: String) -> String {
        type.utf8.count == 4 && type.utf8.allSatisfy { 0x20...0x7e ~= $0 } ? type : "no name"
    }
}

/// A box that was read into memory.
struct ScannedBox {
    let type: String
    /// Where in the file its head begins.
    let offset: Int64
    /// Where what is in it begins.
    let start: Int64
    let content: ArraySlice<UInt8>

    var end: Int64 { start + Int64(content.count) }
    var count: Int { content.count }
    /// Of a full box: one byte, and three of flags.
    var version: Int { number(at: 0, width: 1) ?? -1 }
    var flags: Int { number(at: 1, width: 3) ?? -1 }
    var unknown: String { "a part that is not known to tell nothing (\(ScannedBoxHead.printable(type)))" }
    var unreadable: String { "a part that cannot be read (\(ScannedBoxHead.printable(type)))" }

    /// `nil` where it is not all there, or above what a signed number holds.
    func number(at place: Int, width: Int) -> Int? { content.number(at: place, width: width) }

    func isZero(from start: Int = 0, to end: Int? = nil) -> Bool {
        let end = end ?? count
        return start <= end && end <= count && content.dropFirst(start).prefix(end - start).isAllZero
    }

    /// Whether it is as long, but for zeros behind that.
    func fits(_ size: Int) -> Bool { count >= size && isZero(from: size) }

    /// The boxes in it, to its last byte, without those that only keep room.
    func children(from first: Int = 0, keepsFillers: Bool = false, _ found: inout FoundTraces) -> [ScannedBox] {
        var boxes: [ScannedBox] = []
        var rest = content.dropFirst(first)
        while !rest.isEmpty {
            // QuickTime ends some lists with a zero of 32 bits.
            if rest.count < 8, rest.isAllZero { break }
            let place = end - Int64(rest.count)
            guard boxes.count < 1 << 16, let head = ScannedBoxHead(rest.prefix(16), left: Int64(rest.count)) else {
                found.add("a part that cannot be read", at: place)
                break
            }
            let box = ScannedBox(
                type: head.type, offset: place, start: place + head.head,
                content: rest.prefix(Int(head.length)).dropFirst(Int(head.head)))
            rest = rest.dropFirst(Int(head.length))
            if ScannedBoxHead.fillers.contains(box.type) {
                if !box.isZero() { found.add("bytes in room that is kept free", at: place) }
                if !keepsFillers { continue }
            }
            boxes.append(box)
        }
        return boxes
    }

    /// Brands, of which none may be a word that somebody made up (4.3).
    func checkBrands(_ known: Set<String>, _ found: inout FoundTraces) {
        guard count >= 8, count % 4 == 0, count <= 264 else { return found.add(unreadable, at: offset) }
        for place in stride(from: 0, to: count, by: 4) where place != 4 {
            let bytes = content.dropFirst(place).prefix(4)
            let brand = String(decoding: bytes, as: UTF8.self)
            if !known.contains(brand), !bytes.isAllZero {
                found.add("a name that is no known kind of file", at: start + Int64(place))
            }
        }
    }

    /// Who shall read it: no name, no maker (8.4.3; QuickTime File Format, “Handler reference atoms”).
    func checkHandler(_ types: Set<String>, _ found: inout FoundTraces) -> String {
        let type = String(decoding: content.dropFirst(8).prefix(4), as: UTF8.self)
        let component = String(decoding: content.dropFirst(4).prefix(4), as: UTF8.self)
        guard count >= 24, types.contains(type), ["\0\0\0\0", "mhlr", "dhlr"].contains(component) else {
            found.add("a track that is neither picture nor sound, or one that cannot be read", at: offset)
            return ""
        }
        if !isZero(to: 4) || !isZero(from: 12) { found.add("the name of a program or maker (hdlr)", at: offset) }
        return type
    }

    /// Where the data is: in this file (8.7).
    func checkDataReferences(_ found: inout FoundTraces) {
        let tables = children(&found)
        for table in tables {
            guard table.type == "dref", table.isZero(to: 4) else {
                found.add(table.unknown, at: table.offset)
                continue
            }
            let entries = table.children(from: 8, &found)
            if table.number(at: 4, width: 4) != entries.count { found.add(table.unreadable, at: table.offset) }
            for entry in entries
            where !["url ", "alis"].contains(entry.type) || entry.number(at: 0, width: 4) != 1 || !entry.fits(4) {
                found.add("the name of another file", at: entry.offset)
            }
        }
    }
}

/// The boxes of a file, none of which is within another.
struct ScannedFileBox {
    let type: String
    let offset: Int64
    let content: Range<Int64>

    /// Those that hold something; what keeps room must be zero.
    static func all(in source: ScannedBytes, _ found: inout FoundTraces) throws(SubmitFailure) -> [ScannedFileBox] {
        var boxes: [ScannedFileBox] = []
        var offset: Int64 = 0
        var count = 0
        while offset < source.size, !found.isFull {
            count += 1
            let left = source.size - offset
            let bytes = try source.bytes(in: offset..<offset + min(16, left))
            // No program writes so many.
            guard count <= 4096, let head = ScannedBoxHead(bytes[...], left: left, mayBeOpen: true) else {
                found.add("bytes that belong to nothing", at: offset)
                break
            }
            let content = offset + head.head..<offset + head.length
            if !ScannedBoxHead.fillers.contains(head.type) {
                boxes.append(ScannedFileBox(type: head.type, offset: offset, content: content))
            } else if let place = try source.firstNonZero(in: content) {
                found.add("bytes in room that is kept free", at: place)
            }
            offset += head.length
        }
        return boxes
    }

    /// `nil` where it is longer than `most`.
    func read(from source: ScannedBytes, atMost most: Int64) throws(SubmitFailure) -> ScannedBox? {
        guard content.upperBound - content.lowerBound <= most else { return nil }
        return ScannedBox(
            type: type, offset: offset, start: content.lowerBound, content: try source.bytes(in: content)[...])
    }
}

extension ScannedBytes {
    /// Where the first byte stands that tells something.
    func firstNonZero(in range: Range<Int64>) throws(SubmitFailure) -> Int64? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let window = try window(at: offset)
            let piece = UnsafeRawBufferPointer(
                rebasing: window.prefix(Int(min(Int64(window.count), range.upperBound - offset))))
            if !piece.isAllOf(0) { return offset + Int64(piece.firstIndex { $0 != 0 } ?? 0) }
            guard !piece.isEmpty else { break }
            offset += Int64(piece.count)
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether each byte is this one: all are like their neighbours.
    func isAllOf(_ byte: UInt8) -> Bool {
        guard let base = baseAddress, count > 0 else { return true }
        return self[0] == byte && memcmp(base, base + 1, count - 1) == 0
    }
}

extension ArraySlice where Element == UInt8 {
    var isAllZero: Bool { withUnsafeBytes { $0.isAllOf(0) } }

    /// The number in `width` bytes, at most eight, the highest first; `nil` where it is not all there or negative.
    func number(at place: Int, width: Int) -> Int? {
        guard place >= 0, place <= count, width <= count - place else { return nil }
        var number: UInt64 = 0
        for index in startIndex + place..<startIndex + place + width { number = number << 8 | UInt64(self[index]) }
        return Int(exactly: number)
    }
}

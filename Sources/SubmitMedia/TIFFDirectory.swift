internal import Submit

/// Bytes of a file in any order: of its beginning, which was read already, without asking again.
struct MediaSource {
    let head: UnsafeRawBufferPointer
    let file: FileRegion

    /// Exactly `count` bytes; `nil` where the file has not so many there.
    func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= Int.max - count else { return nil }
        if offset + count <= head.count { return Array(head[offset..<offset + count]) }
        let bytes = file.part(from: Int64(offset)).bytes(count)
        return bytes.count == count ? bytes : nil
    }
}

/// A part of a media file in which offsets are counted from its own beginning: what TIFF 6.0 calls the file.
struct TIFFStructure {
    private let source: MediaSource
    private let range: Range<Int>
    private let isBigEndian: Bool
    private let firstDirectory: Int

    /// `nil` where no header stands there (TIFF 6.0, section 2).
    init?(_ source: MediaSource, _ range: Range<Int>) {
        guard range.count >= 8, let header = source.bytes(at: range.lowerBound, 8) else { return nil }
        switch header.span.number(at: 0, width: 2) {
        case 0x4949: isBigEndian = false
        case 0x4d4d: isBigEndian = true
        default: return nil
        }
        guard header.span.number(at: 2, width: 2, bigEndian: isBigEndian) == 42,
            let first = header.span.number(at: 4, width: 4, bigEndian: isBigEndian)
        else { return nil }
        self.source = source
        self.range = range
        firstDirectory = Int(first)
    }

    /// The first directory; `nil` where it is not whole.
    var first: TIFFDirectory? { directory(at: firstDirectory) }

    func directory(at offset: Int) -> TIFFDirectory? {
        guard let start = bytes(at: offset, 2), let count = start.span.number(at: 0, width: 2, bigEndian: isBigEndian),
            // Some readers pass over larger ones.
            count <= 256, let entries = bytes(at: offset + 2, Int(count) * 12)
        else { return nil }
        return TIFFDirectory(structure: self, entries: entries, isBigEndian: isBigEndian)
    }

    func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= range.count - count else { return nil }
        return source.bytes(at: range.lowerBound + offset, count)
    }
}

/// Tags and their values (TIFF 6.0, section 2).
struct TIFFDirectory {
    fileprivate let structure: TIFFStructure
    fileprivate let entries: [UInt8]
    fileprivate let isBigEndian: Bool

    /// What stands under a tag.
    enum Value<Found> {
        case missing
        /// Of another kind than is asked for, more than once, or outside the file.
        case odd
        case found(Found)
    }

    func has(_ tag: UInt64) -> Bool {
        if case .missing = entry(tag) { return false }
        return true
    }

    func text(_ tag: UInt64) -> Value<String> {
        value(tag) { entry in
            guard number(entry + 2, 2) == 2, let count = number(entry + 4, 4),
                (1...1024).contains(count)
            else { return nil }
            let bytes =
                count <= 4
                ? Array(entries[entry + 8..<entry + 8 + count])
                // In the header stands nothing.
                : number(entry + 8, 4).flatMap { $0 < 8 ? nil : structure.bytes(at: $0, count) }
            return bytes.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }

    func directory(_ tag: UInt64) -> Value<TIFFDirectory> {
        value(tag) { entry in
            guard [4, 13].contains(number(entry + 2, 2)), number(entry + 4, 4) == 1 else { return nil }
            return number(entry + 8, 4).flatMap(structure.directory)
        }
    }

    private func value<Found>(_ tag: UInt64, _ read: (Int) -> Found?) -> Value<Found> {
        switch entry(tag) {
        case .missing: .missing
        case .odd: .odd
        case .found(let entry): read(entry).map(Value.found) ?? .odd
        }
    }

    private func entry(_ tag: UInt64) -> Value<Int> {
        var found: Int?
        for entry in stride(from: 0, to: entries.count, by: 12)
        where entries.span.number(at: entry, width: 2, bigEndian: isBigEndian) == tag {
            if found != nil { return .odd }
            found = entry
        }
        return found.map(Value.found) ?? .missing
    }

    private func number(_ offset: Int, _ width: Int) -> Int? {
        entries.span.number(at: offset, width: width, bigEndian: isBigEndian).map(Int.init)
    }
}

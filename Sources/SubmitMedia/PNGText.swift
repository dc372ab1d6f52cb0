internal import CISAL
internal import Submit

/// A text of a PNG with its keyword (ISO/IEC 15948, section 11.3.4), as far as it can hold metadata.
struct PNGText {
    let keyword: String
    private let kind: UInt64
    private let rest: FileRegion

    static let xmp = "XML:com.adobe.xmp"
    static let profile = "Raw profile type "

    /// “Time of original image creation” (ISO/IEC 15948, section 11.3.4.2), and the GIMP's name for it.
    static let creationTimes: Set = ["Creation Time", "create-date"]

    var canHoldMetadata: Bool {
        keyword == Self.xmp || keyword.hasPrefix(Self.profile) || Self.creationTimes.contains(keyword)
    }

    private static let (plain, packed, international) = (code("tEXt"), code("zTXt"), code("iTXt"))
    private static let mostBytes = 1 << 20

    /// `nil` for what is no text.
    init?(_ type: UInt64, _ content: FileRegion) {
        guard [Self.plain, Self.packed, Self.international].contains(type) else { return nil }
        let head = content.bytes(80)
        guard let end = head.firstIndex(of: 0) else { return nil }
        keyword = String(decoding: head[..<end], as: UTF8.self)
        kind = type
        rest = content.part(from: Int64(end) + 1)
    }

    /// The text itself, unpacked if need be; `nil` where that is more than a MiB.
    var text: FileRegion? {
        if kind == Self.plain { return rest }
        if kind == Self.packed { return Self.unpacked(rest.part(from: 1)) }
        // Whether and how it is packed, a language, and the keyword in that.
        let head = rest.bytes(512)
        guard let flag = head.first, let language = head.dropFirst(2).firstIndex(of: 0),
            let end = head[(language + 1)...].firstIndex(of: 0)
        else { return nil }
        let text = rest.part(from: Int64(end) + 1)
        return flag == 0 ? text : Self.unpacked(text)
    }

    /// The date that is all of the text.
    var time: CaptureTime? {
        guard let text, text.length <= 256 else { return nil }
        let date = String(decoding: text.bytes(64), as: UTF8.self)
        return CaptureText.time(date) ?? CaptureText.timeWithNamedMonth(date)
    }

    /// Metadata as ImageMagick writes it: a line of its name, one of its length, and lines of hexadecimal digits.
    var profile: FileRegion? {
        guard let text, text.length <= 2 * Self.mostBytes else { return nil }
        let lines = text.bytes(2 * Self.mostBytes).split(separator: UInt8(ascii: "\n"))
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in lines.dropFirst(2).joined() {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) else { continue }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes.isEmpty ? nil : FileRegion(bytes)
    }

    private static func unpacked(_ packed: FileRegion) -> FileRegion? {
        guard packed.length <= mostBytes, let state = submit_inflate_begin() else { return nil }
        defer { free(state) }
        let bytes = packed.bytes(mostBytes)
        var isComplete = false
        let text = [UInt8](unsafeUninitializedCapacity: 2 * mostBytes) { room, written in
            var (left, count) = (UInt32(bytes.count), UInt32(2 * mostBytes))
            isComplete = submit_inflate(state, bytes, &left, room.baseAddress, &count) > 0
            written = Int(count)
        }
        return isComplete ? FileRegion(text) : nil
    }

    private static func code(_ text: String) -> UInt64 { ISOMediaFile.code(text) }
}

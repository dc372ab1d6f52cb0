/// Where an item goes below a destination's root: folders and a name, such as `{year}/{month}/{name}`.
///
/// | placeholder | stands for |
/// |---|---|
/// | `{name}` | the item's name |
/// | `{stem}` `{ext}` | its name without extension; its extension, or the usual one of its type |
/// | `{year}` `{month}` `{day}` `{hour}` `{minute}` `{second}` | when it was taken, else when the file was modified |
/// | `{album}` | the album, which may nest; folders in front of everything when the template does not place it |
/// | `{type}` `{kind}` | `image-jpeg`; `photo`, `video` or `other` |
/// | `{sha256}` `{sha256:8}` | the SHA-256 in hexadecimal, or its first digits |
///
/// The last part is the file's name. It contains `{name}`, `{sha256}`, or `{ext}` with `{stem}` or a part of the date.
public struct PathTemplate: Sendable, Hashable {
    /// Where nothing is set: the name alone.
    public static let usual = "{name}"

    /// The template as it was written.
    public let text: String
    /// It names a part of the date of capture.
    public let usesCaptureTime: Bool
    /// It says where the album goes.
    public let usesAlbum: Bool

    private let pieces: [Piece]

    private enum Piece: Hashable {
        case literal(String)
        case separator
        case value(Placeholder)
        case sha256(digits: Int)
    }

    private enum Placeholder: String, CaseIterable {
        case name, stem, ext, year, month, day, hour, minute, second, album, type, kind, sha256
    }

    private static let dateParts: Set<Placeholder> = [.year, .month, .day, .hour, .minute, .second]

    /// Reads a template.
    ///
    /// - Throws: a failure that puts the destination on hold as misconfigured, whose sentence names what is wrong and its column (counted
    ///   in characters from 1): an unknown or unclosed placeholder, no file name at the end, one name for many files, an
    ///   absolute path, or an empty, `.` or `..` part.
    public init(_ text: String) throws(SubmitFailure) {
        let pieces = try Self.parse(text)
        try Self.checkParts(of: text)
        try Self.checkName(pieces, of: text)
        self.text = text
        self.pieces = pieces
        var placeholders: Set<Placeholder> = []
        for case .value(let placeholder) in pieces { placeholders.insert(placeholder) }
        usesCaptureTime = !placeholders.isDisjoint(with: Self.dateParts)
        usesAlbum = placeholders.contains(.album)
    }

    /// The folders and, last, the name for an item: never empty.
    ///
    /// Every part is safe to use as a name: not empty, not `.` or `..`, without `/` and NUL, at most 255 bytes of
    /// UTF-8, cut between characters and before the extension. A part that comes out empty is left out.
    public func render(_ item: MediaItem, album: String?) -> [String] {
        let time = usesCaptureTime ? item.captured ?? CaptureTime(secondsSince1970: item.modified.seconds) : nil
        var parts: [String] = []
        let levels = PathNames.split(album ?? "").filter { !$0.isEmpty }
        if !usesAlbum { parts += levels }
        var part = ""
        for piece in pieces {
            switch piece {
            case .literal(let text):
                part += text
            case .separator:
                parts.append(part)
                part = ""
            case .sha256(let digits):
                part += item.digests.hexadecimal(.sha256)?.prefix(digits) ?? ""
            case .value(.album):
                guard let last = levels.last else { continue }
                for level in levels.dropLast() {
                    parts.append(part + level)
                    part = ""
                }
                part += last
            case .value(let placeholder):
                part += Self.value(placeholder, item, time).withoutSlashes
            }
        }
        parts.append(part.isEmpty ? item.name : part)
        return parts.filter { !$0.isEmpty }.map(Self.safe)
    }

    private static func value(_ placeholder: Placeholder, _ item: MediaItem, _ time: CaptureTime?) -> String {
        switch placeholder {
        case .name: return item.name
        case .stem: return FileName(item.name).stem
        case .ext:
            let fileExtension = FileName(item.name).fileExtension
            return fileExtension.isEmpty ? item.type.filenameExtension : fileExtension
        case .year: return padded(time?.year, to: 4)
        case .month: return padded(time?.month, to: 2)
        case .day: return padded(time?.day, to: 2)
        case .hour: return padded(time?.hour, to: 2)
        case .minute: return padded(time?.minute, to: 2)
        case .second: return padded(time?.second, to: 2)
        case .type: return item.type.mime
        case .kind: return item.type.kind.rawValue
        case .album, .sha256: return ""
        }
    }

    private static func padded(_ number: Int?, to width: Int) -> String {
        let digits = String(number ?? 0)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func safe(_ part: String) -> String {
        var part = part
        if part.utf8.contains(0) { part.unicodeScalars.removeAll { $0 == "\0" } }
        if part == "." { return "_" }
        if part == ".." { return "__" }
        if part.utf8.count <= FileName.maximumLength { return part.isEmpty ? "_" : part }
        return FileName(part).fitted()
    }
}

extension String {
    fileprivate var withoutSlashes: String {
        guard utf8.contains(UInt8(ascii: "/")) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0 == "/" ? "-" : $0 }))
    }
}

// MARK: - Reading a template

extension PathTemplate {
    private static func parse(_ text: String) throws(SubmitFailure) -> [Piece] {
        var pieces: [Piece] = []
        var literal = ""
        func endLiteral() {
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
        }
        var index = text.startIndex
        // By scalars: to Swift a “/” with an accent on it is one character, and no “/”.
        let scalars = text.unicodeScalars
        while index < scalars.endIndex {
            switch scalars[index] {
            case "/":
                endLiteral()
                pieces.append(.separator)
            case "{":
                endLiteral()
                guard let close = scalars[index...].firstIndex(of: "}") else {
                    throw invalid(text, at: index, "opens a “{” that is never closed")
                }
                pieces.append(try piece(text[scalars.index(after: index)..<close], in: text, at: index))
                index = close
            default:
                literal.unicodeScalars.append(scalars[index])
            }
            index = scalars.index(after: index)
        }
        endLiteral()
        return pieces
    }

    private static func piece(
        _ name: Substring, in text: String, at index: String.Index
    ) throws(SubmitFailure) -> Piece {
        if name == "sha256" { return .sha256(digits: 64) }
        if let placeholder = Placeholder(rawValue: String(name)) { return .value(placeholder) }
        if name.hasPrefix("sha256:") {
            guard let digits = Int(name.dropFirst(7)), (1...64).contains(digits) else {
                throw invalid(text, at: index, "asks for “{\(name)}”, which takes 1 to 64 digits, as in {sha256:8}")
            }
            return .sha256(digits: digits)
        }
        let names = Placeholder.allCases.map(\.rawValue)
        let hint = NearestNames.hint(for: String(name), among: names)
        throw invalid(
            text, at: index, "has the unknown placeholder {\(name)}\(hint); there are \(names.joined(separator: ", "))")
    }

    private static func checkParts(of text: String) throws(SubmitFailure) {
        let scalars = text.unicodeScalars
        var start = text.startIndex
        while true {
            let end = scalars[start...].firstIndex(of: "/") ?? text.endIndex
            switch String(scalars[start..<end]) {
            case "" where end == text.endIndex:
                throw invalid(text, at: start, "ends without a file name; end it with {name}, for example")
            case "" where start == text.startIndex:
                throw invalid(text, at: start, "begins with “/”; it is always below the destination's own root")
            case "", ".", "..":
                throw invalid(text, at: start, "has a part “\(String(scalars[start..<end]))” that names no folder")
            default: break
            }
            if end == text.endIndex { return }
            start = scalars.index(after: end)
        }
    }

    /// Checks that files get names of their own. Else all photos of a year might be `2025`, `2025-1` and so on.
    private static func checkName(_ pieces: [Piece], of text: String) throws(SubmitFailure) {
        let last = pieces.suffix(from: pieces.lastIndex(of: .separator).map { $0 + 1 } ?? 0)
        var placeholders: Set<Placeholder> = []
        for piece in last {
            switch piece {
            case .value(let placeholder): placeholders.insert(placeholder)
            case .sha256: placeholders.insert(.sha256)
            case .literal, .separator: break
            }
        }
        if !placeholders.isDisjoint(with: [.name, .sha256]) { return }
        let isNamed = placeholders.contains(.stem)
        if placeholders.contains(.ext), isNamed || !placeholders.isDisjoint(with: dateParts) { return }
        let start = text.unicodeScalars.lastIndex(of: "/").map(text.unicodeScalars.index(after:)) ?? text.startIndex
        throw invalid(
            text, at: start,
            "does not give files names of their own; write “\(text)\(isNamed ? ".{ext}" : "/{name}")”, for example")
    }

    private static func invalid(_ text: String, at index: String.Index, _ complaint: String) -> SubmitFailure {
        let column = text[..<index].count + 1
        return SubmitFailure(
            .hold(.misconfigured, after: nil), code: "configuration",
            message: "The path template “\(text)” \(complaint) (column \(column)).")
    }
}

internal import Foundation

/// A stranger's name for a file, made fit to be shown and to be a file's name anywhere. It never becomes a path of ours.
struct SentName: Equatable {
    /// What people know it by; never empty.
    let name: String
    /// The folders before it, as `outer/inner`; `nil` where there are none.
    let folder: String?

    private static let longest = 255
    private static let mostFolders = 8

    /// - Parameters:
    ///   - sent: as it came, perhaps with folders, in the manner of Unix or Windows.
    ///   - folder: folders that it came with besides.
    init(_ sent: String, folder: String? = nil) {
        let names = Self.segments(sent)
        name = names.last.map { Self.fit($0) } ?? "unnamed"
        let folders = (Self.segments(folder ?? "") + names.dropLast()).suffix(Self.mostFolders).map { Self.fit($0) }
        self.folder = folders.isEmpty ? nil : folders.joined(separator: "/")
    }

    /// What is left of each part of a path that is more than dots and blanks. Cut by scalars: to Swift a `/` with an accent on it
    /// is one character.
    private static func segments(_ path: String) -> [String] {
        // Longer than any path that is meant: what is far from the end says nothing.
        path.unicodeScalars.suffix(16_384).split { $0 == "/" || $0 == "\\" }.map { plain($0) }.filter { !$0.isEmpty }
    }

    private static func plain(_ segment: Substring.UnicodeScalarView.SubSequence) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in segment {
            switch scalar.properties.generalCategory {
            case .control, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: continue
            // Emoji and some scripts are joined by these two; what else is of this category turns or hides text.
            case .format where scalar.value != 0x200c && scalar.value != 0x200d: continue
            case .spaceSeparator: kept.append(" ")
            default: kept.append(forbidden.contains(scalar) ? "_" : scalar)
            }
        }
        // Composed when nothing stands between any more.
        var rest = String(kept).precomposedStringWithCanonicalMapping.unicodeScalars[...]
        // A mark at its beginning would change whatever it is shown behind; a dot there hides a file, and one or a blank at its end is
        // lost where Windows is.
        while let first = rest.first, first == "." || first == " " || isMark(first) { rest.removeFirst() }
        while let last = rest.last, last == "." || last == " " { rest.removeLast() }
        return String(rest)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .enclosingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }

    /// What file systems of others keep for themselves, and what could be made of a name by taking it apart once more.
    private static let forbidden = Set("<>:\"|?*/\\".unicodeScalars)

    private static func fit(_ plain: String) -> String {
        let stem = plain.prefix { $0 != "." }.uppercased().trimmingCharacters(in: .whitespaces)
        let isReserved =
            ["CON", "PRN", "AUX", "NUL"].contains(stem)
            || stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && stem.last!.isNumber
        return cut(isReserved ? "_\(plain)" : plain)
    }

    /// At most so many bytes, with the extension where it has one to speak of.
    private static func cut(_ name: String) -> String {
        if name.utf8.count <= longest { return name }
        var ending = ""
        if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 16 { ending = String(name[dot...]) }
        var kept = ""
        var room = longest - ending.utf8.count
        for character in name {
            let size = character.utf8.count
            if size > room { break }
            kept.append(character)
            room -= size
        }
        while kept.last == "." || kept.last == " " { kept.removeLast() }
        return kept.isEmpty ? "unnamed\(ending)" : kept + ending
    }
}

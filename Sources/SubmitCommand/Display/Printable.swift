internal import CLinux
internal import Foundation
internal import Submit

/// Text made fit for a terminal and for one line.
enum Printable {
    /// What cannot be seen written out: a file's name must not move the cursor, forge a line or look like another.
    static func line(_ text: String) -> String { UnseenCharacters.escaped(text) }

    /// How many columns a text takes.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        // Of a composed character the widest part counts: combining marks and joiners take no column.
        character.unicodeScalars.reduce(0) { max($0, Int(submit_column_width($1.value))) }
    }

    /// Cut in its middle to at most `columns`, and filled up to them if `fills`.
    static func fit(_ text: String, _ columns: Int, fills: Bool = true) -> String {
        let text = line(text)
        let own = width(text)
        if own <= columns { return fills ? text + String(repeating: " ", count: columns - own) : text }
        let (head, tail) = (
            take(text, (columns - 1) / 2 + (columns - 1) % 2), take(String(text.reversed()), (columns - 1) / 2)
        )
        let cut = head + "…" + String(tail.reversed())
        return cut + (fills ? String(repeating: " ", count: max(0, columns - width(cut))) : "")
    }

    /// Cut at its end to at most `columns`: of a sentence the beginning is worth most.
    static func cut(_ text: String, _ columns: Int) -> String {
        let text = line(text)
        return width(text) <= columns ? text : take(text, columns - 1) + "…"
    }

    private static func take(_ text: String, _ columns: Int) -> String {
        var taken = ""
        var used = 0
        for character in text {
            used += width(character)
            if used > columns { break }
            taken.append(character)
        }
        return taken
    }

    /// A sentence in lines of at most `columns`, broken between words. A longer word has a line of its own.
    static func wrapped(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if width(line) + 1 + width(String(word)) <= columns {
                line += " \(word)"
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// `1.2 MB`: decimal units, as disks and lines are sold.
    ///
    /// - Parameter isFine: `11.2 GB` instead of `11 GB`.
    static func bytes(_ count: Int64, isFine: Bool = false) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        var value = Double(count)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        if unit == 0 { return "\(count) B" }
        return String(format: value < (isFine ? 99.95 : 9.95) ? "%.1f %@" : "%.0f %@", value, units[unit])
    }

    /// `42 s`, `3 min`, `2 h 5 min`.
    static func time(seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e7 else { return "long" }
        let seconds = Int(seconds.rounded(.up))
        if seconds < 90 { return "\(seconds) s" }
        if seconds < 5400 { return "\(seconds / 60) min" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    /// A count with its noun.
    /// - Parameter plural: `nil`: with an “s”.
    static func count(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? "\(noun)s")"
    }
}

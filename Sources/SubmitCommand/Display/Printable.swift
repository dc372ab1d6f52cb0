internal import CLinux
internal import Foundation

/// Text made fit for a terminal and for one line.
enum Printable {
    /// Control characters written out: a file's name must not move the cursor or forge a line.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case _ where isControl(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// C0, DEL, C1, and what turns the direction of writing.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

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

    /// `1.2 MB`: decimal units, as disks and lines are sold.
    static func bytes(_ count: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        var value = Double(count)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(count) B" : String(format: value < 9.95 ? "%.1f %@" : "%.0f %@", value, units[unit])
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

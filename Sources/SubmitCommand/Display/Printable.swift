internal import CLinux
internal import Foundation
internal import Submit

/// Text made fit for a terminal and for one line.
enum Printable {
    /// What cannot be seen written out: a file's name must not move the cursor, forge a line or look like another.
    static func line(_ text: String) -> String { UnseenCharacters.escaped(text) }

    /// How many columns a text takes.
    static func width(_ text: some StringProtocol) -> Int {
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

    /// Text in lines of at most `columns`, broken between words.
    ///
    /// A longer word has a line of its own, and so has a command between backticks, which people copy. The rest of an
    /// indented line is indented further.
    static func wrapped(_ text: String, _ columns: Int) -> String {
        guard text.utf8.count > columns else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrappedLine($0, columns) }
            .joined(separator: "\n")
    }

    private static func wrappedLine(_ line: Substring, _ columns: Int) -> [String] {
        guard visibleWidth(line) > columns else { return [String(line)] }
        let indent = String(line.prefix { $0 == " " })
        let hanging = indent.isEmpty ? "" : indent + "  "
        var lines: [String] = []
        var (current, used) = (indent, indent.count)
        // A blank may be more than one.
        var blanks = ""
        for word in words(line.dropFirst(indent.count)) {
            if word.isEmpty {
                blanks += " "
                continue
            }
            let width = visibleWidth(word)
            if used > indent.count || !lines.isEmpty, used + blanks.count + width > columns {
                lines.append(current)
                (current, used) = (hanging, hanging.count)
            } else {
                current += blanks
                used += blanks.count
            }
            current += word
            used += width
            blanks = " "
        }
        // An answer is typed behind the last blank.
        return lines + [current + (line.hasSuffix(" ") ? " " : "")]
    }

    /// The words between blanks. Commands between backticks are one word.
    private static func words(_ line: Substring) -> [Substring] {
        var isCommand = false
        // The last backtick of an odd number begins no command.
        var left = line.utf8.count { $0 == UInt8(ascii: "`") } / 2 * 2
        return line.split(omittingEmptySubsequences: false) { character in
            if character == "`", left > 0 {
                isCommand.toggle()
                left -= 1
            }
            return character == " " && !isCommand
        }
    }

    /// Colours take no column.
    private static func visibleWidth(_ text: Substring) -> Int {
        guard text.utf8.contains(0x1b) else { return width(String(text)) }
        return width(text.replacing(/\u{1b}\[[0-9;]*[A-Za-z]/, with: ""))
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

    /// `2026-11-24 14:03`, where this machine is.
    static func local(_ time: Timestamp) -> String {
        var seconds = time_t(time.seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return String(
            format: "%04d-%02d-%02d %02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
            parts.tm_min)
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

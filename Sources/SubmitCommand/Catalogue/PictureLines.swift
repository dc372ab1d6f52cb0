internal import Submit
internal import SubmitCatalogue

/// A picture of the catalogue as people read it: what it is called, what it is, and where it is proven to be.
struct PictureLines {
    private let lines: [[Word]]

    /// What stands together.
    private struct Word: Equatable {
        let text: String
        var style: Terminal.Style?

        var styled: String { style.map { Terminal.styled(text, $0) } ?? text }
    }

    init(_ picture: DatasourceRecord) {
        func text(_ field: CatalogueField) -> String? {
            switch picture[field.rawValue] {
            case .text(let text): Printable.line(text)
            case .number(let digits): digits
            default: nil
            }
        }
        func texts(_ field: CatalogueField) -> [String] {
            guard case .list(let values)? = picture[field.rawValue] else { return [] }
            return values.compactMap { if case .text(let text) = $0 { Printable.line(text) } else { nil } }
        }
        func time(_ field: CatalogueField) -> String? {
            text(field).map { String($0.prefix(16)).replacing("T", with: " ") }
        }
        let name = text(.name) ?? ""
        let title = text(.title) ?? text(.caption) ?? name
        var head = [Word(text: title, style: .strong)]
        head += [time(.captured) ?? time(.accepted).map { "sent \($0)" }, text(.owner)].compactMap(\.self)
            .map { Word(text: $0, style: .quiet) }
        head[0] = Word(text: Printable.fit(text(.id) ?? "", 6) + head[0].text, style: .strong)
        var facts = title == name ? [] : [name]
        if let width = text(.width), let height = text(.height) { facts.append("\(width)x\(height)") }
        if let size = text(.size).flatMap({ Int64($0) }) { facts.append(Printable.bytes(size)) }
        facts += texts(.tags).map { "#\($0)" }
        facts += texts(.albums).map { "in \($0)" }
        if let place = text(.place) { facts.append("at \(place)") }
        if text(.title) != nil, let caption = text(.caption) { facts.append("“\(caption)”") }
        lines = [head, facts.map { Word(text: $0) }, Self.copies(picture)]
    }

    /// Where it is, how sure that is, and where it is seen.
    private static func copies(_ picture: DatasourceRecord) -> [Word] {
        var words: [Word] = []
        guard case .list(let copies)? = picture[CatalogueField.copies.rawValue] else { return words }
        for copy in copies {
            guard case .object(let members) = copy else { continue }
            let texts = members.reduce(into: [String: String]()) { texts, member in
                if case .text(let text) = member.value { texts[member.name] = Printable.line(text) }
            }
            let destination = texts["destination"] ?? ""
            let word =
                texts["evidence"] == CatalogueCopy.proof
                ? Word(text: "✓ \(destination)", style: .good)
                : Word(text: "\(destination), not proven", style: .waiting)
            for word in [word] + (texts["url"].map { [Word(text: $0)] } ?? []) where !words.contains(word) {
                words.append(word)
            }
        }
        return words.isEmpty ? [Word(text: "no copy is left", style: .bad)] : words
    }

    /// A line each, whatever its length, and all but the first indented.
    var all: [String] {
        lines.enumerated().map { index, words in
            (index == 0 ? "" : "      ") + words.map(\.styled).joined(separator: "  ")
        }
    }

    /// In so many columns: what has no place in a line goes into the next.
    func wrapped(columns: Int) -> [String] {
        lines.flatMap { words -> [String] in
            var (wrapped, line, used) = ([String](), [String](), 0)
            for word in words.flatMap({ Self.split($0, columns) }) {
                let width = Printable.width(word.text)
                if !line.isEmpty, used + 2 + width > columns {
                    wrapped.append(line.joined(separator: "  "))
                    (line, used) = ([], 0)
                }
                used += (line.isEmpty ? 0 : 2) + width
                line.append(word.styled)
            }
            return wrapped + [line.joined(separator: "  ")]
        }
    }

    private static func split(_ word: Word, _ columns: Int) -> [Word] {
        var (parts, part, used) = ([Word](), "", 0)
        for character in word.text {
            let width = Printable.width(String(character))
            if used + width > columns {
                parts.append(Word(text: part, style: word.style))
                (part, used) = ("", 0)
            }
            part.append(character)
            used += width
        }
        return parts + [Word(text: part, style: word.style)]
    }
}

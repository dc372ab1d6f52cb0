internal import Submit
internal import SubmitCatalogue

/// A picture of the catalogue as people read it: what it is called, what it is, and where it is proven to be.
struct PictureLines {
    let all: [String]

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
        let name = text(.name) ?? ""
        let title = text(.title) ?? text(.caption) ?? name
        func time(_ field: CatalogueField) -> String? {
            text(field).map { String($0.prefix(16)).replacing("T", with: " ") }
        }
        let when = time(.captured) ?? time(.accepted).map { "sent \($0)" } ?? ""
        var lines = [
            "\(Printable.fit(text(.id) ?? "", 6))"
                + "\(Terminal.styled(title, .strong))  \(Terminal.styled("\(when)  \(text(.owner) ?? "")", .quiet))"
        ]
        var facts = title == name ? [] : [name]
        if let width = text(.width), let height = text(.height) { facts.append("\(width)x\(height)") }
        if let size = text(.size).flatMap({ Int64($0) }) { facts.append(Printable.bytes(size)) }
        facts += texts(.tags).map { "#\($0)" }
        facts += texts(.albums).map { "in \($0)" }
        if let place = text(.place) { facts.append("at \(place)") }
        if text(.title) != nil, let caption = text(.caption) { facts.append("“\(caption)”") }
        lines.append("      " + facts.joined(separator: "  "))
        let proven = Set(texts(.proven))
        var copies = Array(Set(texts(.destinations))).sorted().map { destination in
            proven.contains(destination)
                ? Terminal.styled("✓ \(destination)", .good) : Terminal.styled("\(destination), not proven", .waiting)
        }
        if copies.isEmpty { copies = [Terminal.styled("no copy is left", .bad)] }
        lines.append("      " + (copies + Array(Set(texts(.urls))).sorted()).joined(separator: "  "))
        all = lines
    }
}

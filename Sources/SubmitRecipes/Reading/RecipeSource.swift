internal import Yams

/// A recipe's text, to tell the place of every character that was read from it.
struct RecipeSource: Sendable {
    let path: String
    private let lines: [[Unicode.Scalar]]

    /// The longest text, in bytes of UTF-8.
    static let longest = 256 << 10
    /// How deep lists and mappings may stand in one another.
    static let mostDepth = 32

    init(_ text: String, path: String) {
        self.path = path
        var lines: [[Unicode.Scalar]] = [[]]
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                lines.append([])
            } else {
                lines[lines.count - 1].append(scalar)
            }
        }
        self.lines = lines
    }

    func place(_ mark: Mark?) -> RecipePlace {
        RecipePlace(path: path, line: max(1, mark?.line ?? 1), column: max(1, mark?.column ?? 1))
    }

    /// Where the scalars of a value stand, counted from its first. Where that cannot be told, as in folded text, it is
    /// the value's own place.
    func placing(_ scalar: Node.Scalar, _ mark: Mark?) -> (Int) -> RecipePlace {
        let place = place(mark)
        switch scalar.style {
        case .literal: return { offset in literal(Array(scalar.string.unicodeScalars), offset, place) }
        case .folded: return { _ in place }
        default: return { offset in inline(offset, place) }
        }
    }

    private func line(_ number: Int) -> [Unicode.Scalar]? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }

    /// In a block of text after `|`, of which every line stands below the mark's.
    private func literal(_ scalars: [Unicode.Scalar], _ offset: Int, _ place: RecipePlace) -> RecipePlace {
        let before = scalars.prefix(offset)
        let start = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let length = scalars[start...].prefix { $0 != "\n" }.count
        let number = place.line + 1 + before.count { $0 == "\n" }
        guard let line = line(number) else { return place }
        let ending = line.last == "\r" ? 1 : 0
        guard line.count - ending >= length else { return place }
        return RecipePlace(path: path, line: number, column: line.count - ending - length + offset - start + 1)
    }

    /// In one line, with quotes or without.
    private func inline(_ offset: Int, _ place: RecipePlace) -> RecipePlace {
        guard let line = line(place.line), line.indices.contains(place.column - 1) else { return place }
        let quote = line[place.column - 1]
        var index = place.column - 1 + (quote == "\"" || quote == "'" ? 1 : 0)
        for _ in 0..<offset {
            guard index < line.count else { return place }
            switch (quote, line[index]) {
            case ("'", "'"): index += 2
            case ("\"", "\\"):
                let lengths: [Unicode.Scalar: Int] = ["x": 4, "u": 6, "U": 10]
                index += index + 1 < line.count ? lengths[line[index + 1]] ?? 2 : 1
            default: index += 1
            }
        }
        return index <= line.count ? RecipePlace(path: path, line: place.line, column: index + 1) : place
    }
}

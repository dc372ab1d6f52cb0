internal import Yams

/// Makes a tree of a recipe's text, within bounds.
enum RecipeYAML {
    /// - Throws: the one fault for which the text cannot be read any further.
    static func root(_ text: String, _ source: RecipeSource) throws(RecipeFault) -> RecipeNode {
        let start = source.place(nil)
        guard text.utf8.count <= RecipeSource.longest else {
            throw RecipeFault(start, "The file has more than \(RecipeSource.longest >> 10) KiB: no recipe is as long.")
        }
        // A tree with anchors can be far larger than its text, and is so before anything can be asked of it.
        if let place = anchor(in: text, path: source.path) {
            throw RecipeFault(
                place,
                "Recipes have no anchors (&name) and aliases (*name): write it out. Where “&” begins a text, put the text "
                    + "into quotes and write \\x26 for it.")
        }
        let root: Node?
        do {
            root = try Parser(yaml: text).singleRoot()
        } catch {
            throw syntax(error, source)
        }
        guard let root else { throw RecipeFault(start, "The file is empty: a recipe begins with “recipe: 1”.") }
        try checkDepth(root, 1, source)
        return RecipeNode(node: root, source: source)
    }

    private static func checkDepth(_ node: Node, _ depth: Int, _ source: RecipeSource) throws(RecipeFault) {
        guard depth <= RecipeSource.mostDepth else {
            throw RecipeFault(
                source.place(node.mark),
                "Lists and mappings stand more than \(RecipeSource.mostDepth) deep in one another.")
        }
        for child in node.sequence ?? [] { try checkDepth(child, depth + 1, source) }
        for (key, value) in node.mapping ?? [:] {
            guard key.scalar != nil else {
                throw RecipeFault(source.place(key.mark), "A key must be a plain text, not a list or a mapping.")
            }
            try checkDepth(value, depth + 1, source)
        }
    }

    /// Where an anchor stands: an `&` with a name behind it where a value may begin. Text that looks like one at such a
    /// place is taken for one too.
    private static func anchor(in text: String, path: String) -> RecipePlace? {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return nil }
        let breaks = "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars
        var line = 1
        var column = 0
        /// The last scalar but spaces, in this line; `nil` at its start.
        var last: Unicode.Scalar?
        /// The word before was a tag.
        var isAfterTag = false
        var isInWord = false
        for scalar in text.unicodeScalars {
            column += 1
            if breaks.contains(scalar) {
                if scalar == "\n" { (line, column) = (line + 1, 0) }
                (last, isAfterTag, isInWord) = (nil, false, false)
                continue
            }
            if scalar == " " || scalar == "\t" || scalar == "\u{feff}" {
                isInWord = false
                continue
            }
            if !isInWord {
                if scalar == "&", last.map({ "-?:[{,".unicodeScalars.contains($0) }) ?? true || isAfterTag {
                    return RecipePlace(path: path, line: line, column: column)
                }
                isAfterTag = scalar == "!"
                isInWord = true
            } else if scalar == "&", let last, "[{,:".unicodeScalars.contains(last) {
                return RecipePlace(path: path, line: line, column: column)
            }
            last = scalar
        }
        return nil
    }

    private static func syntax(_ error: any Error, _ source: RecipeSource) -> RecipeFault {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let context = context.map { "\($0.text) in line \($0.mark.line): " } ?? ""
            return RecipeFault(source.place(mark), "This is no YAML: \(context)\(problem).")
        case .duplicatedKeysInMapping(let keys, let context):
            return RecipeFault(
                source.place(context.mark), "The key “\(keys.first ?? "")” stands here twice: leave one of them.")
        case .reader(let problem, _, _, _): return RecipeFault(source.place(nil), "This is no text: \(problem).")
        default: return RecipeFault(source.place(nil), "This is no YAML.")
        }
    }
}

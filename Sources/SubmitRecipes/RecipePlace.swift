/// A place in a recipe's text.
public struct RecipePlace: Sendable, Hashable {
    /// The file, as it was named.
    public var path: String
    /// From 1.
    public var line: Int
    /// From 1, in Unicode scalars.
    public var column: Int

    /// A place by its file, as that was named, its line and its column, both from 1.
    public init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }
}

extension RecipePlace: Comparable, CustomStringConvertible {
    public static func < (a: RecipePlace, b: RecipePlace) -> Bool {
        (a.path, a.line, a.column) < (b.path, b.line, b.column)
    }

    /// `file:line:column`
    public var description: String { "\(path):\(line):\(column)" }
}

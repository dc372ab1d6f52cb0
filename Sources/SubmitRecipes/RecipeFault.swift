/// What is wrong at one place of a recipe: found when it is read, or when a value is made as it says.
public struct RecipeFault: Error, Sendable, Hashable {
    /// Where in the recipe's text.
    public let place: RecipePlace
    /// What is wrong, with the key, and the cure. It holds no value but what the recipe's text says.
    public let message: String

    /// A fault at a place. `message` names the key and the cure, and no value but what the text says.
    public init(_ place: RecipePlace, _ message: String) {
        self.place = place
        self.message = message
    }
}

extension RecipeFault: CustomStringConvertible {
    /// `file:line:column: sentence`
    public var description: String { "\(place): \(message)" }
}

/// All that is wrong with a recipe, in the order of the text; at least one.
public struct RecipeFaults: Error, Sendable, Hashable {
    /// In the order of the text; at least one.
    public let faults: [RecipeFault]

    /// - Parameter faults: at least one, in the order of the text.
    public init(_ faults: [RecipeFault]) {
        self.faults = faults
    }
}

extension RecipeFaults: CustomStringConvertible {
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}

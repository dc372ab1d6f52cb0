/// The names of an upload's pieces.
enum PieceName {
    /// The name of a piece. Some servers put pieces together in the order of their names, and not of their numbers.
    static func text(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits
    }

    /// The number in a name: servers give pieces back with or without their zeros. `nil` for the name of something else.
    static func number(_ name: String) -> Int? {
        name.utf8.allSatisfy { (48...57).contains($0) } ? Int(name) : nil
    }
}

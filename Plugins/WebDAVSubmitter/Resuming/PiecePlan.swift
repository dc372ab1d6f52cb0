/// How an item is cut into the pieces of an upload: all of the same size but for the last one.
struct PiecePlan: Sendable, Hashable {
    /// Of the item, in bytes.
    let size: Int64
    /// Bytes.
    let pieceSize: Int64

    /// Nextcloud counts so far ("Chunked file upload" in its developer manual).
    static let mostPieces: Int64 = 10_000

    /// As an earlier attempt cut it.
    init(size: Int64, pieceSize: Int64) {
        self.size = size
        self.pieceSize = pieceSize
    }

    /// Pieces grow before there are too many of them.
    init(size: Int64, wanted: Int64) {
        let mebibyte: Int64 = 1 << 20
        let least = (size + Self.mostPieces - 1) / Self.mostPieces
        let needed = least <= wanted ? wanted : (least + mebibyte - 1) / mebibyte * mebibyte
        self.init(size: size, pieceSize: max(1, needed))
    }

    var count: Int { Int((size + pieceSize - 1) / pieceSize) }

    /// The bytes of the piece of this number; the first one is 1.
    func range(_ number: Int) -> Range<Int64> {
        let start = Int64(number - 1) * pieceSize
        return start..<min(start + pieceSize, size)
    }

    /// Some servers put pieces together in the order of their names, and not of their numbers.
    static func name(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits
    }

    /// The number in a name: servers give pieces back with or without their zeros. `nil` for the name of something else.
    static func number(_ name: String) -> Int? {
        name.utf8.allSatisfy { (48...57).contains($0) } ? Int(name) : nil
    }
}

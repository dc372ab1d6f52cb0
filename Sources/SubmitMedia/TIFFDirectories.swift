/// The directories of a TIFF structure that have pictures: its first, those that follow, and those within them (TIFF 6.0,
/// section 2; TIFF Technical Note 1, `SubIFDs`).
struct TIFFDirectories: Sequence, IteratorProtocol {
    /// As many as a broken file can make it look at; cameras write six.
    private static let most = 64

    private let structure: TIFFStructure
    private var waiting: [Int64]
    private var seen: Set<Int64> = []

    init(_ structure: TIFFStructure) {
        self.structure = structure
        waiting = [structure.firstDirectory]
    }

    mutating func next() -> TIFFDirectory? {
        while seen.count < Self.most, !waiting.isEmpty {
            let offset = waiting.removeFirst()
            guard seen.insert(offset).inserted, let directory = structure.directory(at: offset) else { continue }
            if let next = directory.next, next > 0 { waiting.append(next) }
            waiting += directory.numbers(0x014a, most: Self.most)
            return directory
        }
        return nil
    }
}

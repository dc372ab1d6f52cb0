internal import Submit

/// What a copy is made of: ranges of its source, bytes that are new, and runs of one byte.
struct CopiedPieces: Sendable {
    private enum Piece {
        case new([UInt8])
        case source(Range<Int64>)
        case run(UInt8, count: Int64)
    }

    private var pieces: [Piece] = []
    /// Bytes of all of them.
    private(set) var size: Int64 = 0
    /// How many there are.
    var count: Int { pieces.count }

    mutating func add(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        size += Int64(bytes.count)
        if case .new(let last)? = pieces.last, last.count < 4096 {
            pieces[pieces.count - 1] = .new(last + bytes)
        } else {
            pieces.append(.new(bytes))
        }
    }

    mutating func add(_ range: Range<Int64>) {
        if range.isEmpty { return }
        size += range.upperBound - range.lowerBound
        if case .source(let last)? = pieces.last, last.upperBound == range.lowerBound {
            pieces[pieces.count - 1] = .source(last.lowerBound..<range.upperBound)
        } else {
            pieces.append(.source(range))
        }
    }

    /// So many of one byte.
    mutating func add(_ byte: UInt8, count: Int64) {
        if count <= 0 { return }
        size += count
        if case .run(byte, let last)? = pieces.last {
            pieces[pieces.count - 1] = .run(byte, count: last + count)
        } else {
            pieces.append(.run(byte, count: count))
        }
    }

    /// A range of the source of which some bytes become others: the changes in it, in the order of their places.
    mutating func add(_ range: Range<Int64>, with changes: ArraySlice<CleanChange>) {
        var place = range.lowerBound
        for change in changes {
            let changed = change.range.clamped(to: place..<max(place, range.upperBound))
            if changed.isEmpty { continue }
            add(place..<changed.lowerBound)
            add(change.byte, count: changed.upperBound - changed.lowerBound)
            place = changed.upperBound
        }
        add(place..<max(place, range.upperBound))
    }

    mutating func add(_ other: CopiedPieces) {
        for piece in other.pieces {
            switch piece {
            case .new(let bytes): add(bytes)
            case .source(let range): add(range)
            case .run(let byte, let count): add(byte, count: count)
            }
        }
    }

    func write(
        from source: any MediaBytes, to write: (UnsafeRawBufferPointer) throws(SubmitFailure) -> Void
    ) throws(SubmitFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        for piece in pieces {
            switch piece {
            case .new(let bytes):
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(buffer.count)
                    buffer.copyBytes(from: piece)
                    try write(UnsafeRawBufferPointer(rebasing: buffer[..<piece.count]))
                    rest = rest.dropFirst(piece.count)
                }
            case .run(let byte, let count):
                buffer.initializeMemory(as: UInt8.self, repeating: byte)
                var rest = count
                while rest > 0 {
                    let piece = Int(min(Int64(buffer.count), rest))
                    try write(UnsafeRawBufferPointer(rebasing: buffer[..<piece]))
                    rest -= Int64(piece)
                }
            case .source(let range):
                var offset = range.lowerBound
                while offset < range.upperBound {
                    let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
                    let count = try source.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
                    guard count > 0 else {
                        throw SubmitFailure(
                            .retry(after: .zero), code: "source-changed",
                            message: "The source ended while it was read: it is tried again.")
                    }
                    try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    offset += Int64(count)
                }
            }
        }
    }
}

extension MediaBytes {
    /// All bytes of a range that has to be there.
    func whole(_ range: Range<Int64>, of what: String) throws(ReadingProblem) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= size, range.count <= 1 << 24 else {
            throw .damaged("\(what) goes beyond its end")
        }
        do throws(SubmitFailure) {
            return try bytes(in: range)
        } catch {
            throw .failed(error)
        }
    }
}

extension [UInt8] {
    /// The big-endian number of so many bytes; they have to be there.
    func bigEndian(at offset: Int, width: Int) -> Int {
        self[offset..<offset + width].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The little-endian number of so many bytes; they have to be there.
    func littleEndian(at offset: Int, width: Int) -> Int {
        self[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func append(bigEndian number: Int, width: Int) {
        for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func append(littleEndian number: Int, width: Int) {
        for shift in stride(from: 0, to: width * 8, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}

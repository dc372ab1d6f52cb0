internal import Submit

/// A box of an ISO base media file (ISO/IEC 14496-12, 4.2), which QuickTime calls an atom: its name and where it stands.
struct CleanBox<Place: BinaryInteger & Sendable>: Sendable where Place.Stride: SignedInteger {
    let name: String
    let whole: Range<Place>
    let content: Range<Place>

    /// - Parameter head: its first 16 bytes, or 8 where there are no more.
    /// - Returns: `nil` where it does not stand between its place and the end.
    init?(_ head: some Collection<UInt8>, at place: Place, before end: Place) {
        let head = Array(head)
        guard head.count >= 8 else { return nil }
        var (size, start) = (head.bigEndian(at: 0, width: 4), 8)
        if size == 1 {
            guard head.count >= 16, head[8] < 0x80 else { return nil }
            (size, start) = (head.bigEndian(at: 8, width: 8), 16)
        } else if size == 0 {
            size = Int(end - place)
        }
        guard size >= start, size <= Int(end - place) else { return nil }
        name = String(decoding: head[4..<8], as: UTF8.self)
        whole = place..<place + Place(size)
        content = place + Place(start)..<place + Place(size)
    }
}

extension MediaBytes {
    /// The boxes of the file, up to the first bytes that are none.
    func boxes() throws(ReadingProblem) -> [CleanBox<Int64>] {
        var boxes: [CleanBox<Int64>] = []
        var place: Int64 = 0
        while place < size,
            let box = CleanBox(
                try whole(place..<min(place + 16, size), of: "a box"), at: place, before: size)
        {
            boxes.append(box)
            guard boxes.count <= 100_000 else { throw .damaged("it has too many boxes") }
            place = box.whole.upperBound
        }
        return boxes
    }
}

extension [UInt8] {
    /// The boxes of a part.
    ///
    /// - Returns: also what stands behind them, and is none: the zeros by which QuickTime ends a list.
    func boxes(in range: Range<Int>) throws(ReadingProblem) -> (boxes: [CleanBox<Int>], rest: Range<Int>) {
        var boxes: [CleanBox<Int>] = []
        var place = range.lowerBound
        while range.upperBound - place >= 8, bigEndian(at: place, width: 4) != 0 {
            guard
                let box = CleanBox(
                    self[place..<Swift.min(place + 16, range.upperBound)], at: place,
                    before: range.upperBound)
            else { throw .damaged("a box goes beyond the end of the one it is in") }
            boxes.append(box)
            guard boxes.count <= 100_000 else { throw .damaged("it has too many boxes") }
            place = box.whole.upperBound
        }
        return (boxes, place..<range.upperBound)
    }

    /// A number that has to stand in a part.
    func number(_ offset: Int, _ width: Int, in range: Range<Int>) throws(ReadingProblem) -> Int {
        guard offset >= 0, offset <= range.count - width else { throw .damaged("a box is too short") }
        return bigEndian(at: range.lowerBound + offset, width: width)
    }

    /// A box with this content.
    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var box: [UInt8] = []
        box.append(bigEndian: content.count + 8, width: 4)
        return box + name.utf8 + content
    }
}

extension [Range<Int64>] {
    /// Whether one of them, which follow each other, holds all of a range.
    func hold(_ range: Range<Int64>) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].lowerBound <= range.lowerBound && range.upperBound <= self[low].upperBound
    }
}

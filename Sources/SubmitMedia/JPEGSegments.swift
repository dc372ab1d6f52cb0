/// The segments of a JPEG before its picture (ITU-T T.81, annex B.1.1).
struct JPEGSegments: Sequence, IteratorProtocol {
    private var rest: FileRegion
    /// As many as a broken file can make it look at; a large colour profile is 64.
    private var left = 1024

    init(_ file: FileRegion) { rest = file }

    struct Segment {
        let marker: UInt8
        /// Without its length.
        let content: FileRegion
        /// What it begins with, as far as its signature can be long.
        let head: ArraySlice<UInt8>
    }

    mutating func next() -> Segment? {
        while left > 0 {
            left -= 1
            let window = rest.bytes(64)
            // Programs leave bytes between segments, and the marker's first may stand there any number of times.
            guard let first = window.firstIndex(of: 0xff) else { return nil }
            guard first == 0, let place = window.firstIndex(where: { $0 != 0xff }), place < 16 else {
                rest = rest.part(from: Int64(first == 0 ? 15 : first))
                continue
            }
            switch window[place] {
            // The picture begins, or the file ends.
            case 0xda, 0xd9: return nil
            // What has no content.
            case 0x00, 0x01, 0xd0...0xd8: rest = rest.part(from: Int64(place) + 1)
            case let marker:
                guard let length = window.span.number(at: place + 1, width: 2), length >= 2 else { return nil }
                defer { rest = rest.part(from: Int64(place) + 1 + Int64(length)) }
                return Segment(
                    marker: marker, content: rest.part(from: Int64(place) + 3, length: Int64(length) - 2),
                    head: window[(place + 3)...])
            }
        }
        return nil
    }
}

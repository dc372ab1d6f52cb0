/// A heap of records, whose directory ends it (“The Canon RAW (CRW) File Format”, Phil Harvey).
struct CanonHeap {
    let region: FileRegion
    private let isBigEndian: Bool

    /// The file's.
    init?(_ file: FileRegion) {
        guard let order = file.number(at: 0, width: 2) else { return nil }
        isBigEndian = order == 0x4d4d
        guard let start = file.number(at: 2, width: 4, bigEndian: isBigEndian) else { return nil }
        region = file.part(from: Int64(start))
    }

    private init(_ region: FileRegion, isBigEndian: Bool) {
        self.region = region
        self.isBigEndian = isBigEndian
    }

    /// `nil` where it is missing or its length or offset is.
    func record(_ tag: Int64) -> FileRegion? {
        guard let start = number(in: region, at: region.length - 4, width: 4),
            let count = number(in: region, at: start, width: 2)
        else { return nil }
        for entry in 0..<min(count, 256) {
            let place = start + 2 + entry * 10
            guard number(in: region, at: place, width: 2) == tag else { continue }
            guard let length = number(in: region, at: place + 2, width: 4),
                let offset = number(in: region, at: place + 6, width: 4)
            else { return nil }
            return region.part(from: offset, length: length)
        }
        return nil
    }

    /// A heap that is a record of this one.
    func heap(_ tag: Int64) -> CanonHeap? { record(tag).map { CanonHeap($0, isBigEndian: isBigEndian) } }

    func number(in region: FileRegion, at offset: Int64, width: Int) -> Int64? {
        region.number(at: offset, width: width, bigEndian: isBigEndian).map { Int64($0) }
    }
}

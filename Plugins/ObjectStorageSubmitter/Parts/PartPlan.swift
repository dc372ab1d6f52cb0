internal import Submit

/// How an item is cut into parts: all of the same size but for the last one.
struct PartPlan: Sendable, Hashable {
    /// Of the item, in bytes.
    let size: Int64
    let partSize: Int64

    var count: Int { Int((size + partSize - 1) / partSize) }

    /// The bytes of the part of this number; the first one is 1.
    func range(_ number: Int) -> Range<Int64> {
        let start = Int64(number - 1) * partSize
        return start..<min(start + partSize, size)
    }
}

/// What a server takes as parts.
struct PartRules: Sendable, Hashable {
    /// The smallest part but for the last one, in bytes.
    var least: Int64
    /// The largest part, in bytes.
    var most: Int64
    /// The most parts of one object.
    var count: Int

    /// The part size to begin with: it costs a request, and is what has to be sent again after a break.
    static let usualSize: Int64 = 8 << 20
    /// Parts grow before there are more of them: one page lists them all, and no server is known to take fewer.
    static let usualCount = 1000

    /// How an item of so many bytes is cut; `nil` where it is too large to be cut at all.
    ///
    /// - Parameter wanted: the part size someone asked for.
    func plan(size: Int64, wanted: Int64?) -> PartPlan? {
        let fewest = Int64(wanted == nil ? min(Self.usualCount, count) : count)
        let mebibyte: Int64 = 1 << 20
        let rounded = ((size + fewest - 1) / fewest + mebibyte - 1) / mebibyte * mebibyte
        let needed = (wanted ?? 0) * fewest >= size ? 0 : rounded
        let plan = PartPlan(size: size, partSize: min(max(wanted ?? Self.usualSize, least, needed, 1), most))
        return plan.count <= count ? plan : nil
    }

    /// The largest item that can be cut.
    var mostBytes: Int64 {
        let (product, overflow) = most.multipliedReportingOverflow(by: Int64(count))
        return overflow ? .max : product
    }
}

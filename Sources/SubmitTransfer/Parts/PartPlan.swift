/// How an item is cut into parts: all of one size, but for the last one.
public struct PartPlan: Sendable, Hashable {
    /// The item's length in bytes.
    public let size: Int64
    /// The length of each part but the last, in bytes.
    public let partSize: Int64

    /// - Parameters:
    ///   - size: the item's length in bytes.
    ///   - partSize: the length of a part in bytes; at least 1.
    public init(size: Int64, partSize: Int64) {
        self.size = size
        self.partSize = partSize
    }

    /// How many parts there are.
    public var count: Int { Int((size + partSize - 1) / partSize) }

    /// The bytes of a part. Parts are numbered from 1.
    public func range(_ number: Int) -> Range<Int64> {
        let start = Int64(number - 1) * partSize
        return start..<min(start + partSize, size)
    }
}

/// What a server takes as parts.
public struct PartRules: Sendable, Hashable {
    /// The smallest part but for the last one, in bytes.
    public var least: Int64
    /// The largest part, in bytes.
    public var most: Int64
    /// The most parts of one item.
    public var count: Int

    /// The part size to begin with: each part costs a request, and is what has to be sent again after a break.
    public static let usualSize: Int64 = 8 << 20
    /// Parts grow before there are more of them: one page lists them all, and no server is known to take fewer.
    public static let usualCount = 1000

    /// - Parameters:
    ///   - least: the smallest part but for the last one, in bytes.
    ///   - most: the largest part, in bytes.
    ///   - count: the most parts of one item.
    public init(least: Int64 = 1, most: Int64 = .max, count: Int) {
        self.least = least
        self.most = most
        self.count = count
    }

    /// How an item is cut; `nil` if it is too large to be cut at all.
    ///
    /// - Parameters:
    ///   - size: the item's length in bytes.
    ///   - wanted: the part size that someone asked for, in bytes.
    public func plan(size: Int64, wanted: Int64?) -> PartPlan? {
        let fewest = Int64(wanted == nil ? min(Self.usualCount, count) : count)
        let mebibyte: Int64 = 1 << 20
        let rounded = ((size + fewest - 1) / fewest + mebibyte - 1) / mebibyte * mebibyte
        let needed = (wanted ?? 0).multipliedReportingOverflow(by: fewest)
        let isEnough = needed.overflow || needed.partialValue >= size
        let partSize = min(max(wanted ?? Self.usualSize, least, isEnough ? 0 : rounded, 1), most)
        let plan = PartPlan(size: size, partSize: partSize)
        return plan.count <= count ? plan : nil
    }

    /// The largest item that can be cut, in bytes.
    public var mostBytes: Int64 {
        let (product, overflow) = most.multipliedReportingOverflow(by: Int64(count))
        return overflow ? .max : product
    }
}

/// A number by which the store knows something. What came later has a greater one; whether any are missing in between says
/// nothing.
public protocol StoreNumber: RawRepresentable, Hashable, Comparable, Codable, Sendable, ExpressibleByIntegerLiteral,
    LosslessStringConvertible
where RawValue == Int64 {
    /// - Parameter rawValue: as the store gave it, from 1.
    init(rawValue: Int64)
}

extension StoreNumber {
    /// A number that is written out: `let batch: BatchID = 1`.
    public init(integerLiteral value: Int64) { self.init(rawValue: value) }

    public init?(_ description: String) {
        guard let number = Int64(description) else { return nil }
        self.init(rawValue: number)
    }

    public var description: String { String(rawValue) }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Which batch: all that was accepted in one go.
public struct BatchID: StoreNumber {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Which media item.
public struct ItemID: StoreNumber {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Which submission: an item that is waiting for a destination.
public struct SubmissionID: StoreNumber {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Which acceptance.
package struct AcceptanceID: StoreNumber {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Which worker.
package struct WorkerID: StoreNumber {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

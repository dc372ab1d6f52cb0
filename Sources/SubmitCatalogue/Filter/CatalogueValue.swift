/// What a field is compared with.
public enum CatalogueValue: Sendable, Hashable {
    /// In NFC: see ``text(_:)``.
    case composed(String)
    /// A number without a fraction.
    case integer(Int64)
    /// Another number.
    case real(Double)
    /// SHA-256.
    case digest([UInt8])
    /// All the time that is called by a date.
    case time(SpanOfTime)
    /// True or false.
    case truth(Bool)

    /// A text, made comparable.
    public static func text(_ text: String) -> CatalogueValue { .composed(TextFolding.composed(text)) }

    var type: CatalogueFieldType {
        switch self {
        case .composed: .text
        case .integer, .real: .number
        case .digest: .digest
        case .time: .time
        case .truth: .truth
        }
    }
}

/// The span of time that a written date stands for: a year, a month, a day, a minute, a second or a part of it.
///
/// Equal is what lies in it, above what comes after it, below what comes before it.
public struct SpanOfTime: Sendable, Hashable {
    /// Its first nanosecond. Of the time of capture: on the camera's clock; of others: in UTC. Since 1970.
    public let first: Int64
    /// Its last nanosecond.
    public let last: Int64

    /// `nil` where the last comes before the first.
    public init?(first: Int64, last: Int64) {
        guard first <= last else { return nil }
        (self.first, self.last) = (first, last)
    }
}

extension CatalogueFieldType {
    /// That of values which it is compared with.
    var valueType: CatalogueFieldType { self == .texts ? .text : self }

    /// For people: `a text`.
    var told: String {
        switch self {
        case .text: "a text"
        case .texts: "texts"
        case .number: "a number"
        case .digest: "a digest of 64 hexadecimal digits"
        case .time: "a time"
        case .truth: "true or false"
        case .place: "a place on Earth"
        case .objects: "values with parts"
        }
    }
}

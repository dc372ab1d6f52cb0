/// A record of a source: a JSON object, whatever its fields are.
///
/// A picture of ours is one as well, so that whoever shows, counts and writes records needs not know where they came from.
public struct DatasourceRecord: Sendable, Hashable {
    /// In the order in which they came.
    public var members: [RecordMember]

    /// A record of these.
    public init(_ members: [RecordMember]) { self.members = members }

    /// `nil` where the value is no object.
    public init?(_ value: RecordValue) {
        guard case .object(let members) = value else { return nil }
        self.init(members)
    }

    /// What stands at a dotted path: `location.lat`, `sizes.0.url`. A name with a dot in it comes before what it might lead to.
    public subscript(path: String) -> RecordValue? {
        let whole = RecordValue.object(members)
        if let value = whole[path] { return value }
        var value = whole
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard let next = value[String(name)] else { return nil }
            value = next
        }
        return value
    }

    /// Those of some paths, in that order; what is not there is null.
    public func only(_ paths: [String]) -> DatasourceRecord {
        DatasourceRecord(paths.map { RecordMember($0, self[$0] ?? .null) })
    }
}

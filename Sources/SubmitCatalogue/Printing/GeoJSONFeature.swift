/// A record as a place on a map (RFC 7946, section 3.2): its `location` is the geometry, all else its properties.
///
/// The geometry is null where the record has no `location` that is a place on Earth: `{"lat": …, "lng": …}`, as LoopBack has it.
/// Longitude stands first there (section 3.1.1).
public struct GeoJSONFeature: Sendable, Hashable {
    /// The field that is the geometry.
    public static let placeField = CatalogueField.location.rawValue

    private let record: DatasourceRecord

    /// A record as a place on a map.
    public init(_ record: DatasourceRecord) { self.record = record }

    /// The feature on one line.
    public var json: String {
        var members = [RecordMember("type", .text("Feature"))]
        // Numbers and texts identify (section 3.2), and nothing else does.
        switch record["id"] {
        case .number(let digits): members.append(RecordMember("id", .number(digits)))
        case .text(let text): members.append(RecordMember("id", .text(text)))
        default: break
        }
        members.append(RecordMember("geometry", geometry))
        members.append(RecordMember("properties", .object(record.members.filter { $0.name != Self.placeField })))
        return RecordValue.object(members).json
    }

    private var geometry: RecordValue {
        guard let place = record[Self.placeField], let latitude = place["lat"]?.double,
            let longitude = place["lng"]?.double, let point = CataloguePlace(latitude: latitude, longitude: longitude)
        else { return .null }
        return .object([
            RecordMember("type", .text("Point")),
            RecordMember("coordinates", .list([.real(point.longitude), .real(point.latitude)])),
        ])
    }
}

/// In which form records are written for other programs.
public enum RecordFormat: String, Sendable, Hashable, CaseIterable {
    /// A JSON object a line. Exact.
    case jsonLines = "jsonl"
    /// A JSON list (RFC 8259), an object a line. Exact.
    case json
    /// A table for spreadsheets (RFC 4180): see ``CSVTable``. Not exact.
    case csv
    /// Places on a map (RFC 7946): see ``GeoJSONFeature``.
    case geoJSON = "geojson"
}

/// Writes records in a form, one at a time: whatever they are, it holds none of them.
///
/// What ``beginning()``, ``text(of:)`` and ``end()`` return makes up the whole, in UTF-8, without a byte order mark.
public struct RecordPrinter: Sendable {
    private let format: RecordFormat
    private let fields: [String]?
    private var table: CSVTable?
    private var isFirst = true

    /// - Parameters:
    ///   - fields: which are written, in this order; `nil`: all. Of a table: those of its first record.
    public init(_ format: RecordFormat, fields: [String]? = nil) {
        (self.format, self.fields) = (format, fields)
        table = format == .csv ? fields.map(CSVTable.init) : nil
    }

    /// Names of fields that some record had and no column was there for: name them as fields to have them.
    public private(set) var withoutColumn: Set<String> = []

    /// What stands before the first record.
    public func beginning() -> String {
        switch format {
        case .jsonLines: ""
        case .json: "["
        case .csv: table?.header ?? ""
        case .geoJSON: #"{"type":"FeatureCollection","features":["#
        }
    }

    /// A record, with what separates it from the one before.
    public mutating func text(of record: DatasourceRecord) -> String {
        defer { isFirst = false }
        let separator = isFirst ? "\n" : ",\n"
        switch format {
        case .jsonLines: return RecordValue.object(chosen(record).members).json + "\n"
        case .json: return separator + RecordValue.object(chosen(record).members).json
        case .geoJSON:
            var feature = chosen(record)
            let place = GeoJSONFeature.placeField
            if feature[place] == nil, let value = record[place] { feature.members.append(RecordMember(place, value)) }
            return separator + GeoJSONFeature(feature).json
        case .csv:
            var header = ""
            let table = self.table ?? CSVTable(record.members.map(\.name))
            if self.table == nil {
                header = table.header
                self.table = table
            }
            if fields == nil {
                for member in record.members where !table.columns.contains(member.name) {
                    withoutColumn.insert(member.name)
                }
            }
            return header + table.row(of: record)
        }
    }

    /// What stands behind the last record.
    public func end() -> String {
        switch format {
        case .jsonLines, .csv: ""
        case .json: "\n]\n"
        case .geoJSON: "\n]}\n"
        }
    }

    private func chosen(_ record: DatasourceRecord) -> DatasourceRecord { fields.map(record.only) ?? record }
}

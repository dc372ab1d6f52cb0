internal import Foundation
internal import Submit
internal import SubmitCatalogue
internal import SystemPackage

/// A table of what is to be said of pictures: a column tells which (`item`, `id` or `path`), and others what. A column that is not
/// there changes nothing; an empty cell says that there is nothing.
struct PictureTable {
    struct Row {
        /// In the table, the header being the first.
        let number: Int
        let picture: String
        /// The number that it has beside that; `nil`: none.
        let id: Int64?
        fileprivate let cells: [String: String]

        /// What it says of its picture that the picture does not say already: what we wrote and nobody touched changes nothing,
        /// be it that a table cannot hold it as it is.
        func change(of picture: CataloguePicture) throws(CatalogueFault) -> PictureChange {
            let record = picture.record(revealsPlace: true)
            let edited = cells.filter { column, cell in cell != record[column].map(CSVTable.content) ?? "" }
            let change = try PictureTable.change(edited)
            try change.check()
            return change
        }
    }

    let rows: [Row]

    private static let names = ["item", "id", "path"]
    private static let told = PictureChange.fields.map(\.rawValue)

    /// - Parameter file: its name; `-`: standard input.
    /// - Throws: with file and row, where it is no such table.
    init(_ file: String) throws {
        let text = try Self.text(of: file)
        // Whoever reads it would take all that follows for one text.
        guard text.utf8.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
            throw SubmitFailure.usage("“\(file)” ends within quotation marks: see whether it is whole.")
        }
        guard let asWritten = TableCells.rows(of: text) else {
            throw SubmitFailure.usage(
                "“\(file)” is no table with commas: write it as `submit query --format csv` does.")
        }
        let header = asWritten.first ?? []
        if let twice = header.first(where: { name in header.count(where: { $0 == name }) > 1 }) {
            throw SubmitFailure.usage("“\(file)” has two columns “\(twice)”: leave one of them out.")
        }
        guard let name = Self.names.first(where: header.contains) else {
            throw SubmitFailure.usage(
                "“\(file)” has no column that tells which picture is meant: item, id or path, with commas between columns."
            )
        }
        let columns = header.filter(Self.told.contains)
        if columns.isEmpty {
            throw SubmitFailure.usage(
                "“\(file)” has no column that says anything: \(Self.told.joined(separator: ", ")).")
        }
        rows = try asWritten.dropFirst().enumerated().map { index, cells in
            guard cells.count == header.count else {
                throw SubmitFailure.usage(
                    "“\(file)”, row \(index + 2): it has \(cells.count) cells, and the header \(header.count): put texts with commas "
                        + "into quotation marks.")
            }
            let named = Dictionary(uniqueKeysWithValues: zip(header, cells))
            return Row(
                number: index + 2, picture: Self.plain(named[name] ?? ""),
                id: name == "item" ? named["id"].flatMap { Int64(Self.plain($0)) } : nil,
                cells: named.filter { columns.contains($0.key) })
        }
    }

    private static func text(of file: String) throws -> String {
        let bytes: [UInt8]
        do {
            if file == "-" {
                bytes = try WholeFile.bytes(of: .standardInput) ?? []
            } else {
                let descriptor = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec])
                defer { try? descriptor.close() }
                bytes = try WholeFile.bytes(of: descriptor) ?? []
            }
        } catch {
            throw SubmitFailure.usage("“\(file)” cannot be read: name another table (\(error)).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SubmitFailure.usage("“\(file)” is not written in UTF-8: save it so.")
        }
        // Spreadsheets write it; it is none of the first name.
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }

    fileprivate static func change(_ cells: [String: String]) throws(CatalogueFault) -> PictureChange {
        var change = PictureChange()
        for field in PictureChange.fields {
            guard let cell = cells[field.rawValue].map(plain) else { continue }
            switch field.holds {
            case .texts: change.set(field, to: try names(cell))
            case .truth:
                guard ["true", "false"].contains(cell.lowercased()) else {
                    throw CatalogueFault("\(field.rawValue) is true or false, and not “\(cell)”.", at: nil)
                }
                change.set(field, to: [cell.lowercased()])
            default: change.set(field, to: cell.isEmpty ? [] : [cell])
            }
        }
        return change
    }

    /// `["a","b"]`, as we write it, or `a, b`, as people do.
    private static func names(_ cell: String) throws(CatalogueFault) -> [String] {
        guard cell.hasPrefix("[") else {
            return cell.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        guard case .list(let values) = try RecordValue(json: Array(cell.utf8), limit: CatalogueLimits.text) else {
            throw CatalogueFault("“\(cell)” is no list.", at: nil)
        }
        let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
        guard texts.count == values.count else { throw CatalogueFault("“\(cell)” has more in it than texts.", at: nil) }
        return texts
    }

    /// Without the mark by which a text is kept from being a formula.
    private static func plain(_ cell: String) -> String {
        let rest = cell.dropFirst()
        let isMarked = cell.hasPrefix("'") && rest.first { $0 != " " }.map { "'=+-@\t\r\n＝＋－＠".contains($0) } ?? false
        return isMarked ? String(rest) : cell
    }
}

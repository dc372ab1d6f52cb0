internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// A submission as a row of a table, with evidence and place.
enum SubmissionRow {
    static func text(_ record: SubmissionRecord, columns: Int?) -> String {
        let name =
            columns.map { Printable.fit(record.item.name, max(12, min(30, $0 / 4))) }
            ?? Printable.line(record.item.name)
        let destination = columns == nil ? record.destination : Printable.fit(record.destination, 12)
        let (word, style, detail): (String, Terminal.Style, String) =
            switch record.state {
            case .done:
                record.receipt?.isOfSkipped == true
                    ? ("skipped", .waiting, place(record))
                    : (record.receipt.map { "\($0.evidence)" } ?? "done", .good, place(record))
            case .failed: ("failed", .bad, record.advised ?? "")
            case .waiting: ("waiting", .waiting, record.advised ?? "")
            case .running: ("running", .waiting, "")
            case .cancelled: ("cancelled", .waiting, "")
            }
        let mark = Terminal.styled(Printable.fit(word, 9), style)
        let head = "\(Printable.fit(String(record.id), 5)) \(name)  \(destination) "
        guard let columns else { return "\(head)\(mark) \(Printable.line(detail))" }
        let room = columns - Printable.width(head) - 11
        return "\(head)\(mark) \(room > 10 ? Printable.fit(detail, room, fills: false) : "")"
    }

    private static func place(_ record: SubmissionRecord) -> String {
        guard let receipt = record.receipt else { return "" }
        let isReadBack = record.verification == .readback && receipt.evidence == .verified
        let place = receipt.url ?? receipt.remoteID
        if place.isEmpty { return receipt.note ?? "" }
        return place + (isReadBack ? " (read back)" : "") + rendition(record) + (receipt.note.map { " (\($0))" } ?? "")
    }

    /// What was made of it: “ (place removed, 410 kB)”.
    private static func rendition(_ record: SubmissionRecord) -> String {
        guard record.isRendition, let size = record.rendition?.size else { return "" }
        let words = record.recipe.flatMap { try? RenditionPolicy($0) }?.words(of: record.item.type.kind) ?? "rendition"
        return " (\(words), \(Printable.bytes(size)))"
    }
}

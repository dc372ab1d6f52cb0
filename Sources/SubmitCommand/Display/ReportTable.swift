internal import Foundation
internal import Submit
internal import SubmitJournal

/// A table of item by destination, with evidence and place.
struct ReportTable {
    /// Rows shown after a run; `submit list` shows them all.
    private static let mostRows = 60
    private let report: Report

    init(_ report: Report) {
        self.report = report
    }

    func print() async {
        var rows = 0
        for batch in report.batches {
            var last: SubmissionID?
            while rows <= Self.mostRows {
                guard
                    let page = try? await report.journal.submissions(
                        SubmissionSelection(batch: batch), after: last, limit: Self.mostRows + 1), let end = page.last
                else { break }
                for record in page {
                    rows += 1
                    guard rows <= Self.mostRows else {
                        Swift.print("… `submit list \(batch)` shows the rest.")
                        return
                    }
                    Swift.print(Self.row(record, columns: Terminal.columns))
                }
                last = end.id
            }
        }
    }

    /// A submission as a row.
    static func row(_ record: SubmissionRecord, columns: Int?) -> String {
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
        return (receipt.url ?? receipt.remoteID) + (isReadBack ? " (read back)" : "")
            + (receipt.note.map { " (\($0))" } ?? "")
    }
}

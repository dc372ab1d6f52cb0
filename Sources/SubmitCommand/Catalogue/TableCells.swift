/// Cells of a table with commas (RFC 4180). It is taken apart by scalars: an accent at the beginning of a text makes another
/// character of the comma or the quotation mark before it, and readers that go by characters do not find them then.
enum TableCells {
    /// `nil` where something stands beside the quotation marks of a cell.
    static func rows(of text: String) -> [[String]]? {
        var (rows, row, cell): ([[String]], [String], String.UnicodeScalarView) = ([], [], .init())
        var (isQuoted, isOpen, last): (Bool, Bool, Unicode.Scalar?) = (false, false, nil)
        func finishCell() {
            row.append(String(cell))
            (cell, isQuoted) = (.init(), false)
        }
        for scalar in text.unicodeScalars {
            defer { last = scalar }
            switch scalar {
            case "\"" where isOpen: isOpen = false
            case _ where isOpen: cell.append(scalar)
            case "\"" where isQuoted && last == "\"":
                // Two of them are one.
                cell.append(scalar)
                isOpen = true
            case "\"":
                guard cell.isEmpty, !isQuoted else { return nil }
                (isQuoted, isOpen) = (true, true)
            case ",": finishCell()
            case "\n" where last == "\r": break
            case "\n", "\r":
                finishCell()
                rows.append(row)
                row = []
            // People put a blank behind a comma.
            case _ where [" ", "\t"].contains(scalar) && (cell.isEmpty || isQuoted): break
            default:
                guard !isQuoted else { return nil }
                cell.append(scalar)
            }
        }
        guard !row.isEmpty || !cell.isEmpty || isQuoted else { return rows }
        finishCell()
        return rows + [row]
    }
}

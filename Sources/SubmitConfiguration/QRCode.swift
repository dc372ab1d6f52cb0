internal import CDesktopLibraries
internal import Foundation

/// A QR code, for a terminal.
package struct QRCode {
    private let width: Int
    private let squares: [Bool]

    /// Light squares around it (ISO/IEC 18004: four).
    private static let margin = 4

    /// - Returns: `nil` where libqrencode is not installed, or the text is too long.
    package init?(_ text: String) {
        var width: CInt = 0
        guard let data = submit_qr_code(text, &width), width > 0 else { return nil }
        defer { free(data) }
        self.width = Int(width)
        squares = (0..<self.width * self.width).map { data[$0] & 1 == 1 }
    }

    /// The code as lines of a screen.
    ///
    /// - Parameters:
    ///   - columns: of the screen.
    ///   - rows: of the screen that nothing else needs: the rest of a taller code would scroll off.
    ///   - isPlain: without colours and half blocks; see ``plainLines``.
    ///   - isColored: see ``lines(isColored:)``.
    /// - Returns: `nil` if the code doesn't fit.
    package func lines(columns: Int, rows: Int, isPlain: Bool = false, isColored: Bool) -> [String]? {
        guard (isPlain ? plainColumns : self.columns) <= columns else { return nil }
        let lines = isPlain ? plainLines : lines(isColored: isColored)
        return lines.count <= rows ? lines : nil
    }

    package var columns: Int { width + 2 * Self.margin }

    /// Two rows a line, with half blocks.
    ///
    /// - Parameter isColored: black on white whatever the terminal's colours are; otherwise for light text on dark.
    package func lines(isColored: Bool) -> [String] {
        stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
            let line = (-Self.margin..<width + Self.margin).map { column -> Character in
                switch (isDark(row, column) == isColored, isDark(row + 1, column) == isColored) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return isColored ? "\u{1b}[38;5;16;48;5;231m\(String(line))\u{1b}[0m" : String(line)
        }
    }

    /// What is around it is as light there as what is in it.
    private static let plainMargin = 2

    package var plainColumns: Int { 2 * (width + 2 * Self.plainMargin) }

    /// A square a pair of characters, for where there are neither colours nor half blocks: dark is `##`.
    package var plainLines: [String] {
        (-Self.plainMargin..<width + Self.plainMargin).map { row in
            (-Self.plainMargin..<width + Self.plainMargin).map { isDark(row, $0) ? "##" : "  " }.joined()
        }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && squares[row * width + column]
    }
}

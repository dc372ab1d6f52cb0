internal import CDesktopLibraries
internal import Foundation
internal import SubmitPictures
internal import SubmitPixels
internal import SubmitPrograms

/// Where a picture is shown on a terminal: so many characters of so many pixels.
struct PicturePlace {
    let columns: Int
    let rows: Int
    let box: PixelBox

    /// - Returns: `nil` where a cell has no pixels, or more than any screen.
    init?(columns: Int, rows: Int, cell: (width: Int, height: Int)) {
        guard let box = PixelBox(width: columns * cell.width, height: rows * cell.height) else { return nil }
        (self.columns, self.rows, self.box) = (columns, rows, box)
    }
}

extension TerminalGraphics {
    /// What thumbnails have to be to be shown.
    var form: ThumbnailCache.Form {
        switch self {
        case .kitty: .png
        case .iterm: .jpeg
        case .sixel: .map
        }
    }

    /// What makes a terminal show a thumbnail where its cursor is, which may be anywhere afterwards.
    ///
    /// - Parameter thumbnail: in its ``form``, and no larger than the box of its place.
    /// - Returns: `nil` where it cannot be shown.
    func text(showing thumbnail: [UInt8], in place: PicturePlace) -> String? {
        switch self {
        case .kitty: Self.kittyText(thumbnail)
        case .iterm:
            "\u{1b}]1337;File=inline=1;size=\(thumbnail.count);width=\(place.columns);height=\(place.rows):"
                + Data(thumbnail).base64EncodedString() + "\u{7}"
        case .sixel: PixelMap(thumbnail).flatMap(Self.sixelText)
        }
    }

    private static func kittyText(_ png: [UInt8]) -> String {
        let text = Array(Data(png).base64EncodedString().utf8)
        return stride(from: 0, to: text.count, by: longestChunk).map { start in
            let chunk = text[start..<min(text.count, start + longestChunk)]
            // No answers, and the cursor stays.
            let control = start == 0 ? "a=T,f=100,q=2,C=1," : ""
            return
                "\u{1b}_G\(control)m=\(chunk.endIndex == text.count ? 0 : 1);\(String(decoding: chunk, as: UTF8.self))\u{1b}\\"
        }.joined()
    }

    /// Of base64, as kitty takes it.
    private static let longestChunk = 4096

    private static func sixelText(_ map: PixelMap) -> String? {
        var size = 0
        guard let text = submit_sixel(map.pixels, CInt(map.width), CInt(map.height), &size) else { return nil }
        defer { free(text) }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: size), as: UTF8.self)
    }
}

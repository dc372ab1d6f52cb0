/// Pixels as they are, for who shows them: three bytes each, red, green and blue of sRGB, row by row from the top.
public struct PixelMap: Sendable, Hashable {
    public let width: Int
    public let height: Int
    public let pixels: [UInt8]

    /// The same of the same, as a PPM file ("P6", netpbm's ppm(5)).
    public static func head(width: Int, height: Int) -> String { "P6\n\(width) \(height)\n255\n" }

    /// Reads what ``head(width:height:)`` and the pixels behind it make, and nothing else; `nil` where it is not whole.
    public init?(_ bytes: [UInt8]) {
        // Longer than any head is.
        let lines = String(decoding: bytes.prefix(24), as: UTF8.self).split(separator: "\n", maxSplits: 2)
        let sides = lines.count == 3 ? lines[1].split(separator: " ").map { Int($0) } : []
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            PixelBox(width: width, height: height) != nil
        else { return nil }
        let head = Array(Self.head(width: width, height: height).utf8)
        guard bytes.starts(with: head), bytes.count == head.count + width * height * 3 else { return nil }
        (self.width, self.height, pixels) = (width, height, Array(bytes[head.count...]))
    }
}

import Foundation
import TestServers

/// Photos made up for a test.
enum Photos {
    /// `Tests/Media`.
    static let media = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Media").path

    /// What is in it, without what belongs to making it.
    static let samples: [String] = {
        let folder = media
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasSuffix(".md") && !$0.hasSuffix(".sh") && $0.contains(".") }.sorted()
            .map { "\(folder)/\($0)" }
    }()

    /// A JPEG's beginning and its end, and `count` bytes in all.
    static func jpeg(_ count: Int, seed: UInt64) -> [UInt8] {
        var numbers = SeededNumbers(seed: seed)
        var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: numbers.next()) { bytes += $0 } }
        bytes = Array(bytes.prefix(max(4, count)))
        if count >= 6 { bytes.replaceSubrange((count - 2)..., with: [0xff, 0xd9]) }
        return bytes
    }

    /// A GIF of one pixel, and words behind it that make it its own: for who looks at what it is given.
    static func gif(_ words: String) -> [UInt8] {
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c]
            + [0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b] + Array(words.utf8)
    }

    /// Writes `count` photos into a folder of `place`, and returns their paths.
    @discardableResult
    static func make(
        _ count: Int, in place: TemporaryFolder, _ folder: String = "photos", prefix: String = "IMG_",
        sizes: ClosedRange<Int> = 2_000...9_000,
        seed: UInt64 = 1
    ) throws -> [String] {
        try place.folder(folder)
        var numbers = SeededNumbers(seed: seed)
        return try (0..<count).map { number in
            let bytes = jpeg(.random(in: sizes, using: &numbers), seed: numbers.next())
            return try place.write(bytes, to: "\(folder)/\(prefix)\(1000 + number).jpg")
        }
    }
}

internal import Foundation
internal import GRDB
public import Submit
internal import SystemPackage

extension MediaItem {
    static let columns = """
        item.path, item.name, item.size, item.modified, item.inode, item.device, item.kind, item.mime, item.extension,
        item.captured, item.caption, item.tags, item.sha256, item.sha1, item.md5, item.crc32c, item.changed
        """
    static let columnCount = 17

    /// Reads ``columns``, of which the first stands at `start`.
    init(_ row: Row, from start: Int) throws {
        let path: Data = row[start]
        let digests: [DigestAlgorithm: Data?] = [
            .sha256: row[start + 12], .sha1: row[start + 13], .md5: row[start + 14], .crc32c: row[start + 15],
        ]
        let captured: String? = row[start + 9]
        let tags: String? = row[start + 11]
        self.init(
            source: FilePath(bytes: path), name: row[start + 1], size: row[start + 2],
            type: MediaType(
                kind: MediaKind(rawValue: row[start + 6]) ?? .other, mime: row[start + 7],
                filenameExtension: row[start + 8]),
            modified: Timestamp(nanoseconds: row[start + 3]),
            captured: captured.flatMap(CaptureTime.init),
            caption: row[start + 10],
            tags: try tags.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? [],
            digests: Digests(digests.compactMapValues { $0.map(Array.init) }))
    }
}

extension SourceIdentity {
    init(_ row: Row, from start: Int) {
        let changed: Int64? = row[start + 16]
        self.init(
            size: row[start + 2], modified: Timestamp(nanoseconds: row[start + 3]),
            changed: changed.map { Timestamp(nanoseconds: $0) },
            inode: UInt64(bitPattern: row[start + 4]), device: UInt64(bitPattern: row[start + 5]))
    }
}

extension FilePath {
    /// The path's bytes as they are, without the NUL.
    var bytes: Data {
        withPlatformString { Data(bytes: $0, count: length) }
    }

    init(bytes: Data) {
        self = (bytes + [0]).withUnsafeBytes { buffer in
            buffer.withMemoryRebound(to: CInterop.PlatformChar.self) { characters in
                characters.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
            }
        }
    }
}

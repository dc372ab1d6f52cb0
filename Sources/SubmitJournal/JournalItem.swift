internal import Foundation
internal import GRDB
internal import Submit
internal import SystemPackage

extension MediaItem {
    static let columns = """
        item.path, item.name, item.size, item.modified, item.inode, item.device, item.kind, item.mime, item.extension,
        item.captured, item.caption, item.tags, item.sha256, item.sha1, item.md5, item.crc32c, item.changed
        """
    static let columnCount = 17

    /// Reads ``columns``, of which the first stands at `start`.
    init(_ row: some ColumnValues, from start: Int) throws {
        func text(_ column: Int) throws -> String { try row.given(row.text(start + column)) }
        var digests = Digests()
        for (column, algorithm) in Self.digests { digests[algorithm] = try row.bytes(start + column) }
        _ = try row.given(digests[.sha256])
        try self.init(
            source: FilePath(bytes: row.given(row.bytes(start))), name: text(1), size: row.amount(start + 2),
            type: MediaType(kind: row.given(row.name(start + 6)), mime: text(7), filenameExtension: text(8)),
            modified: Timestamp(nanoseconds: row.given(row.integer(start + 3))),
            captured: row.text(start + 9).map { try row.given(CaptureTime($0)) },
            caption: row.text(start + 10),
            tags: row.text(start + 11).map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? [],
            digests: digests)
    }

    private static let digests: [(column: Int, DigestAlgorithm)] = [
        (12, .sha256), (13, .sha1), (14, .md5), (15, .crc32c),
    ]
}

extension SourceIdentity {
    init(_ row: some ColumnValues, from start: Int) throws {
        func number(_ column: Int) throws -> Int64 { try row.given(row.integer(start + column)) }
        try self.init(
            size: number(2), modified: Timestamp(nanoseconds: number(3)),
            changed: row.integer(start + 16).map { Timestamp(nanoseconds: $0) },
            inode: UInt64(bitPattern: number(4)), device: UInt64(bitPattern: number(5)))
    }
}

extension FilePath {
    /// The path's bytes as they are, without the NUL.
    var bytes: Data {
        withPlatformString { Data(bytes: $0, count: length) }
    }

    init(bytes: some Sequence<UInt8>) {
        self = (Array(bytes) + [0]).withUnsafeBytes { buffer in
            buffer.withMemoryRebound(to: CInterop.PlatformChar.self) { characters in
                characters.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
            }
        }
    }
}

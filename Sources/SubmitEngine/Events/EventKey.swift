internal import Submit

/// The keys of an event and of what it holds.
enum EventKey: String, CodingKey {
    case event, batch, item, submissions, items, submission, destination, attempt, path, trash
    case id, recipe
    case forGood = "for_good"
    case code, message, remedy, reason, until, holds, paused
    case after = "after_ms"
    case remoteID = "remote_id"
    case url, evidence, note, marks
    case wasThere = "was_there"
    case name, size, kind, type, modified, captured, caption, tags, sha256, sha1, md5, crc32c
    case filenameExtension = "extension"
    case pathBytes = "path_bytes"
    case trashBytes = "trash_bytes"
    case folder
    case folderBytes = "folder_bytes"

    init(_ algorithm: DigestAlgorithm) {
        switch algorithm {
        case .sha256: self = .sha256
        case .sha1: self = .sha1
        case .md5: self = .md5
        case .crc32c: self = .crc32c
        }
    }
}

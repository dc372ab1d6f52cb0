internal import Submit
internal import SubmitPlatform
internal import SubmitStore
internal import SystemPackage

/// In which order files are accepted, and so sent where nothing has to be tried again.
public enum SourceOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// As the paths are named, and below folders in the order of the names: `IMG_9` before `IMG_10`.
    case name
    /// Those that were last changed latest first.
    case new
    /// Those that were last changed earliest first.
    case old
    /// The smallest first.
    case small
    /// The largest first.
    case large
}

/// A walk in another order than that of names. It comes to its end before the first file is handed out; some 40 bytes and the
/// name are kept of each until then.
struct OrderedWalk: Sequence, IteratorProtocol {
    private struct File {
        /// The least goes first.
        let key: Int64
        let folder: Int
        /// Where its name begins, which ends with NUL.
        let name: Int
        let isNamed: Bool
    }

    private var walk: FileWalk
    private let key: (SourceIdentity) -> Int64
    private var files: [File] = []
    private var folders: [FilePath] = []
    private var names: [CChar] = []
    private var isSorted = false

    init(_ walk: FileWalk, _ order: SourceOrder) {
        self.walk = walk
        key =
            switch order {
            case .name: { _ in 0 }
            case .new: { ~$0.modified.nanoseconds }
            case .old: { $0.modified.nanoseconds }
            case .small: { $0.size }
            case .large: { ~$0.size }
            }
    }

    mutating func next() -> FileWalk.Entry? {
        while !isSorted {
            guard let entry = walk.next() else {
                // From the end on.
                files.sort { $0.key == $1.key ? $0.name > $1.name : $0.key > $1.key }
                isSorted = true
                break
            }
            guard case .file(let path, let identity, let isNamed) = entry else { return entry }
            keep(path, identity, isNamed)
        }
        return files.popLast().map(entry)
    }

    private mutating func keep(_ path: FilePath, _ identity: SourceIdentity, _ isNamed: Bool) {
        let folder = path.removingLastComponent()
        if folders.last != folder { folders.append(folder) }
        files.append(File(key: key(identity), folder: folders.count - 1, name: names.count, isNamed: isNamed))
        path.lastComponent?.withPlatformString {
            names.append(contentsOf: UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
        }
    }

    /// As it is by now.
    private func entry(_ file: File) -> FileWalk.Entry {
        let name = names[file.name...].withUnsafeBufferPointer { name in
            name.baseAddress.flatMap { FilePath.Component(platformString: $0) }
        }
        let path = name.map { folders[file.folder].appending($0) } ?? folders[file.folder]
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else {
            return .refused(path, FileWalk.refusal(path, Errno(rawValue: errno)))
        }
        return .file(path, SourceIdentity(status), named: file.isNamed)
    }
}

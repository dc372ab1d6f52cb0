internal import Submit

/// The name of an object in its bucket: folders, as people see them, and the item's own name.
struct ObjectKey: Sendable, Hashable {
    private let folders: String
    private let name: String

    /// S3's limit in bytes of UTF-8 ("Naming Amazon S3 objects").
    static let maximumLength = 1024

    /// - Parameters:
    ///   - prefix: without slashes at its ends; empty for none.
    ///   - parts: folders and, last, the name: what ``PathTemplate/render(_:album:)`` gives.
    init(prefix: String, parts: [String]) {
        let folders = (prefix.isEmpty ? [] : [prefix]) + parts.dropLast()
        self.init(folders: folders.map { $0 + "/" }.joined(), name: parts.last ?? "")
    }

    /// The key of an object that is there.
    init(_ text: String) {
        var parts = PathNames.split(text)
        let name = parts.removeLast()
        self.init(folders: parts.map { $0 + "/" }.joined(), name: name)
    }

    private init(folders: String, name: String) {
        self.folders = folders
        self.name = name
    }

    var text: String { folders + name }

    /// The key for the `n`th try when others hold it: `2024/IMG_1.jpg` becomes `2024/IMG_1-1.jpg`.
    func numbered(_ n: Int) -> ObjectKey {
        ObjectKey(folders: folders, name: FileName(name).numbered(n))
    }

    /// Refuses what no service takes.
    func checkLength() throws(SubmitFailure) {
        guard text.utf8.count <= Self.maximumLength else {
            throw SubmitFailure(
                .giveUp, code: "key-too-long",
                message: "“\(name)” would get a key of \(text.utf8.count) bytes, and object storage takes "
                    + "\(Self.maximumLength): shorten the prefix, the template, the album or the file's name.")
        }
    }
}

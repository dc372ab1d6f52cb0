internal import Submit

/// What a program is told of an item: in its words as `{name}`, in its environment as `SUBMIT_NAME`.
enum ItemValues {
    /// What every program that is told of an item is given, one that looks for its copy too.
    static let ofItem = ["name", "caption", "tags", "mime", "sha256", "size"]
    /// What the program that sends is given besides.
    static let ofSending = ["path", "album", "submission", "conflict", "id"]
    /// What those that look and remove are given of a copy, also when its item was sent long ago.
    static let ofCopy = ["id", "album", "name", "url"]

    static func values(_ item: MediaItem) -> [String: String] {
        cleaned([
            "name": item.name, "caption": item.caption ?? "", "tags": item.tags.joined(separator: ","),
            "mime": item.type.mime, "sha256": item.digests.hexadecimal(.sha256) ?? "", "size": String(item.size),
        ])
    }

    static func values(_ item: MediaItem, _ context: SubmissionContext) -> [String: String] {
        let id = id(item, context)
        // A program stores under the item's own name, where another photo may be.
        let isElsewhere = context.repairedAddress.map { $0 != id } ?? false
        let policy = isElsewhere ? ConflictPolicy.rename : context.onConflict
        return values(item).merging(
            cleaned([
                "album": context.album ?? "", "submission": context.submission, "conflict": policy.rawValue,
                "id": id, "url": "",
            ])
        ) { $1 }
    }

    /// What receipts call the copy.
    static func id(_ item: MediaItem, _ context: SubmissionContext) -> String {
        context.album.map { "\($0)/\(item.name)" } ?? item.name
    }

    /// What is known of a copy by its receipt.
    static func values(_ receipt: Receipt) -> [String: String] {
        let parts = PathNames.split(receipt.remoteID)
        return cleaned([
            "id": receipt.remoteID, "album": parts.dropLast().joined(separator: "/"), "name": parts.last ?? "",
            "url": receipt.url ?? "",
        ])
    }

    /// The same of an album, as of a copy that has no name.
    static func values(album: String) -> [String: String] {
        cleaned(["id": "", "album": album, "name": "", "url": ""])
    }

    static func environment(_ values: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: values.map { ("SUBMIT_\($0.uppercased())", $1) })
    }

    /// Neither arguments nor variables can hold a NUL.
    private static func cleaned(_ values: [String: String]) -> [String: String] {
        values.mapValues { $0.utf8.contains(0) ? $0.replacing("\0", with: "") : $0 }
    }
}

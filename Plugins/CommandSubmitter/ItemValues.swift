internal import Submit

/// What a program is told of an item: in its words as `{name}`, in its environment as `SUBMIT_NAME`.
enum ItemValues {
    static func values(_ item: MediaItem) -> [String: String] {
        cleaned([
            "name": item.name, "caption": item.caption ?? "", "tags": item.tags.joined(separator: ","),
            "mime": item.type.mime, "sha256": item.digests.hexadecimal(.sha256) ?? "", "size": String(item.size),
        ])
    }

    static func values(_ item: MediaItem, _ context: SubmissionContext) -> [String: String] {
        values(item).merging(
            cleaned([
                "album": context.album ?? "", "submission": context.submission, "conflict": context.onConflict.rawValue,
                "id": id(item, context),
            ])
        ) { $1 }
    }

    /// What receipts call the copy.
    static func id(_ item: MediaItem, _ context: SubmissionContext) -> String {
        context.album.map { "\($0)/\(item.name)" } ?? item.name
    }

    static func environment(_ values: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: values.map { ("SUBMIT_\($0.uppercased())", $1) })
    }

    /// Neither arguments nor variables can hold a NUL.
    private static func cleaned(_ values: [String: String]) -> [String: String] {
        values.mapValues { $0.utf8.contains(0) ? $0.replacing("\0", with: "") : $0 }
    }
}

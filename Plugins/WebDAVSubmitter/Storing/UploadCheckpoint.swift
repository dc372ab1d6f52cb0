internal import FoundationEssentials
internal import Submit

/// What a checkpoint says of an upload: where to ask how far it got, and what to remove.
struct UploadCheckpoint: Sendable, Hashable, Codable {
    enum Kind: String, Sendable, Codable {
        case whole, partial, pieces, tus
    }

    var kind: Kind
    /// Percent-encoded, from the server's root: where the item lies until it is whole and proven.
    var temporary: String
    /// The same, where the server keeps an upload that is not there yet.
    var upload: String?
    /// Bytes.
    var partSize: Int64?
    /// How often the server was told to put pieces together; `nil` for not yet.
    var orders: Int?
    /// How often all of it was seen in an upload by tus, and nothing under the temporary name; `nil` for never.
    var looks: Int?
    /// How sure it is that all of the item lies under the temporary name; `nil` until it does.
    var evidence: Evidence?
    /// By which it is known again, there and at its place.
    var etag: String?
    /// Where it may have been moved, as nobody heard what became of that: as ``temporary``. `nil` for nowhere.
    var moved: [String]?

    /// The note in a checkpoint; `nil` where it holds none.
    init?(_ checkpoint: Checkpoint?) {
        guard let checkpoint, let note = try? JSONDecoder().decode(Self.self, from: Data(checkpoint.data)),
            note.temporary.hasPrefix("/"), note.upload?.hasPrefix("/") ?? true, note.partSize ?? 1 > 0
        else { return nil }
        self = note
    }

    init(_ kind: Kind, temporary: DAVPath, upload: String? = nil, partSize: Int64? = nil) {
        self.kind = kind
        self.temporary = temporary.encoded
        self.upload = upload
        self.partSize = partSize
    }

    var checkpoint: Checkpoint { Checkpoint(data: (try? JSONEncoder().encode(self)).map(Array.init) ?? []) }
}

extension UploadJob {
    /// What the last attempt kept, if it brought the item here in that way.
    func note(of kind: UploadCheckpoint.Kind) -> UploadCheckpoint? {
        UploadCheckpoint(context.checkpoint).flatMap { $0.kind == kind && $0.temporary == temporary.encoded ? $0 : nil }
    }
}

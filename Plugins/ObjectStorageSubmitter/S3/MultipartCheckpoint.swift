internal import FoundationEssentials
internal import Submit

/// What a checkpoint of an upload in parts says: where to ask how far it got.
struct MultipartCheckpoint: Sendable, Hashable, Codable {
    var bucket: String
    var key: String
    /// Bytes.
    var partSize: Int64
    /// When the upload was about to be begun, in seconds since 1970 by the server's clock.
    var begun: Int64
    /// The upload's id; `nil` where it was asked for, and the answer may have been lost.
    var id: String?
    /// It was begun with CRC-32Cs.
    var hasChecksums: Bool?
    /// It was told to become an object, and may have; `nil` where that was not written down.
    var mayBeObject: Bool?

    /// The note in a checkpoint; `nil` where it holds none.
    init?(_ checkpoint: Checkpoint?) {
        guard let checkpoint,
            let note = try? JSONDecoder().decode(Self.self, from: Data(checkpoint.data)), note.partSize > 0
        else { return nil }
        self = note
    }

    init(
        bucket: String, key: String, partSize: Int64, begun: Int64, id: String? = nil, hasChecksums: Bool? = nil,
        mayBeObject: Bool? = nil
    ) {
        self.bucket = bucket
        self.key = key
        self.partSize = partSize
        self.begun = begun
        self.id = id
        self.hasChecksums = hasChecksums
        self.mayBeObject = mayBeObject
    }

    var checkpoint: Checkpoint { Checkpoint(data: (try? JSONEncoder().encode(self)).map(Array.init) ?? []) }
}

/// A submitter's own note from which a broken submission goes on.
///
/// The journal keeps it and never looks inside. It must hold no secret. When bytes are sent on from a checkpoint, the
/// *server* says how far it got; the checkpoint says where to ask.
public struct Checkpoint: Sendable, Hashable {
    /// At most 64 KiB.
    public var data: [UInt8]

    /// - Parameter data: at most 64 KiB, without secrets.
    public init(data: [UInt8]) {
        self.data = data
    }
}

public import Submit

/// What tells whether a source is still the file that was accepted.
public struct SourceIdentity: Sendable, Hashable {
    /// Bytes.
    public var size: Int64
    public var modified: Timestamp
    public var inode: UInt64
    public var device: UInt64

    public init(size: Int64, modified: Timestamp, inode: UInt64, device: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.device = device
    }
}

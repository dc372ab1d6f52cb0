public import Submit

/// What tells whether a source is still the file that was accepted.
public struct SourceIdentity: Sendable, Hashable {
    /// Bytes.
    public var size: Int64
    /// When its bytes were last changed (`st_mtim`, stat(3type)).
    public var modified: Timestamp
    /// Its number on its file system (`st_ino`).
    public var inode: UInt64
    /// The file system it is on (`st_dev`).
    public var device: UInt64

    /// The marks of a file as stat(2) gives them.
    public init(size: Int64, modified: Timestamp, inode: UInt64, device: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.device = device
    }
}

public import Submit

/// What tells whether a source is still the file that was accepted.
public struct SourceIdentity: Sendable, Hashable {
    /// Bytes.
    public var size: Int64
    /// When its bytes were last changed (`st_mtim`, stat(3type)), as far as nobody set that.
    public var modified: Timestamp
    /// When its bytes, its times or its names were last changed (`st_ctim`), which nobody can set; `nil`: it was accepted by
    /// a version that did not write it down.
    public var changed: Timestamp?
    /// Its number on its file system (`st_ino`).
    public var inode: UInt64
    /// The file system it is on (`st_dev`).
    public var device: UInt64

    /// The marks of a file as stat(2) gives them.
    public init(size: Int64, modified: Timestamp, changed: Timestamp? = nil, inode: UInt64, device: UInt64) {
        self.size = size
        self.modified = modified
        self.changed = changed
        self.inode = inode
        self.device = device
    }

    /// Whether all marks agree that both know of.
    public func agrees(with other: SourceIdentity) -> Bool {
        var other = other
        if changed == nil || other.changed == nil { other.changed = changed }
        return self == other
    }
}

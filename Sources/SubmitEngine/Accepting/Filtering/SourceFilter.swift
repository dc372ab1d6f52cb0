public import Submit
internal import SubmitPlatform
internal import SubmitStore
package import SystemPackage

/// Which of the files that were named, or lie below what was named, are meant. What it leaves out is told of as
/// ``LeftBehind/Reason/excluded``.
public struct SourceFilter: Sendable, Hashable, Codable {
    /// By their names.
    public var rules: IgnoreRules
    /// Only files that were last changed at this time or later; `nil`: no bound.
    public var changedSince: Timestamp?
    /// Only files that were last changed before this time; `nil`: no bound.
    public var changedBefore: Timestamp?
    /// Only files of so many bytes or more; `nil`: no bound.
    public var minSize: Int64?
    /// Only files of so many bytes or less; `nil`: no bound.
    public var maxSize: Int64?
    /// Only items of these kinds, by their content; `nil`: of all. What is neither photo nor video is taken where any file is.
    public var kinds: Set<MediaKind>?

    /// Takes everything, where nothing is given.
    public init(
        rules: IgnoreRules = IgnoreRules(), changedSince: Timestamp? = nil, changedBefore: Timestamp? = nil,
        minSize: Int64? = nil, maxSize: Int64? = nil, kinds: Set<MediaKind>? = nil
    ) {
        self.rules = rules
        self.changedSince = changedSince
        self.changedBefore = changedBefore
        self.minSize = minSize
        self.maxSize = maxSize
        self.kinds = kinds
    }

    /// It takes everything.
    public var isEmpty: Bool { self == SourceFilter() }

    /// Whether the rules take what lies somewhere below a folder that was named, be it that one of the folders above it is left
    /// out.
    package func takes(_ path: FilePath, below base: FilePath, isFolder: Bool) -> Bool {
        if rules.isEmpty { return true }
        var rest = path
        guard rest.removePrefix(base) else { return true }
        var relative: [UInt8] = []
        var isTaken = !rules.takesNothingElse
        for (index, component) in rest.components.enumerated() {
            if index > 0 { relative.append(UInt8(ascii: "/")) }
            relative += component.withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
            let isLast = index == rest.components.count - 1
            switch rules.verdict(relative, isFolder: !isLast || isFolder) {
            case .leftOut: return false
            case .taken: isTaken = true
            case nil: break
            }
        }
        // What is in a folder may be taken, though the folder is not.
        return isTaken || isFolder
    }

    /// Whether a file is meant, by what can be told without reading it.
    func takes(_ identity: SourceIdentity) -> Bool {
        if let changedSince, identity.modified < changedSince { return false }
        if let changedBefore, identity.modified >= changedBefore { return false }
        if let minSize, identity.size < minSize { return false }
        if let maxSize, identity.size > maxSize { return false }
        return true
    }
}

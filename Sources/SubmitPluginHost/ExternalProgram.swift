public import SystemPackage

/// A program on this machine that is a submitter.
public struct ExternalProgram: Sendable, Hashable {
    /// The type's name: what stands behind `submit-to-`.
    public let name: String
    public let path: FilePath

    public init(name: String, path: FilePath) {
        self.name = name
        self.path = path
    }
}

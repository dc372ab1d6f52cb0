/// What a program that uses this library is to servers, and to programs that are submitters.
public struct ProgramIdentity: Sendable, Hashable {
    /// Letters, digits and `-`: it stands in HTTP's `User-Agent`.
    public let name: String
    /// Such as `1.0.2`.
    public let version: String

    /// - Parameters:
    ///   - name: letters, digits and `-`.
    ///   - version: letters, digits, `.` and `-`.
    public init(_ name: String, version: String) {
        self.name = name
        self.version = version
    }
}

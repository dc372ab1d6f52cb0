package import Submit
package import SystemPackage

/// What submitters remember of destinations.
package protocol NoteStore: Sendable {
    /// A folder, which need not be there, for locks between the processes of this computer.
    var locks: FilePath { get }

    /// A note; `nil` where there is none.
    func note(_ topic: String, of destination: String) async throws(SubmitFailure) -> [UInt8]?

    /// Writes a note, or forgets it.
    func setNote(_ topic: String, of destination: String, to note: [UInt8]?) async throws(SubmitFailure)

    /// Whether anything has arrived at a destination.
    func holdsCopies(_ destination: String) async throws(SubmitFailure) -> Bool
}

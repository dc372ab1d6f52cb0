package import Submit

/// What submitters remember of destinations.
package protocol NoteStore: Sendable {
    /// A note; `nil` where there is none.
    func note(_ topic: String, of destination: String) async throws(SubmitFailure) -> [UInt8]?

    /// Writes a note, or forgets it.
    func setNote(_ topic: String, of destination: String, to note: [UInt8]?) async throws(SubmitFailure)
}

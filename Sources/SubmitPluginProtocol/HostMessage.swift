public import Submit

/// A line that the host writes.
public enum HostMessage: Sendable, Hashable {
    /// Something to do. The submitter ends it with ``SubmitterMessage/done(id:_:)``,
    /// ``SubmitterMessage/failed(id:_:)`` or ``SubmitterMessage/unsupported(id:)``. The host gives no number twice.
    case request(id: Int, HostRequest)
    /// Break the request off: it still ends, soon, as cancelled or as it would have.
    case cancel(id: Int)
    /// The answer to a question of the submitter's.
    case answer(question: Int, HostAnswer)
    /// The host does not do what was asked: the request should end with this failure, as it is.
    case denied(question: Int, SubmitFailure)
    /// The host does not know this question.
    case unsupported(question: Int)
    /// A message that this code does not know; `id` where it waits for an end.
    case unknown(String, id: Int?)
}

/// Something the host asks a submitter to do.
public enum HostRequest: Sendable, Hashable {
    case hello(versions: [Int], host: String)
    /// `secrets` are the names of those that are set; their values are to be asked for.
    case configure(destination: String, settings: [String: String], secrets: Set<String>)
    case check
    case submit(AttemptDescription)
    case discard(AttemptDescription)
    /// With ``Verification/readback`` all bytes of the copy are to be read. Those that do not know it just look.
    case presence(MediaItem, Receipt, Verification = .usual)
    case albums
    case createAlbum(String)
    case link(Receipt, seconds: Int)
    /// `sparing` are the checkpoints of all submissions that may yet go on.
    case leftovers(sparing: [String])
    case removeLeftover(Leftover)
    case remove(Receipt)
    case removeAlbum(String)
    case beginLogin(client: String)
    case pollLogin
    case logout
}

/// What the host answers to a question.
public enum HostAnswer: Sendable, Hashable {
    /// It is done, or it is so; of a secret or a note: there is none.
    case nothing
    /// The text of a secret or a note.
    case text(String)
    /// Bytes of the item; fewer than asked for at its end.
    case bytes([UInt8])
}

public import Submit

/// A line that a submitter writes.
public enum SubmitterMessage: Sendable, Hashable {
    /// A request is done.
    case done(id: Int, RequestOutcome)
    /// A request failed, with its remedy.
    case failed(id: Int, SubmitFailure)
    /// The submitter does not know this request.
    case unsupported(id: Int)
    /// A sign of life of a request, with how far it is where that is known: see ``SubmissionContext/sent(_:)`` and
    /// ``SubmissionContext/landed(_:)``.
    case progress(id: Int, sent: Int64?, landed: Int64?)
    /// Something to know from the host. The submitter gives no number twice.
    case question(Int, HostQuestion)
    /// Something for whoever looks for a fault.
    case log(String)
    /// A message that this code does not know; `question` where it waits for an answer.
    case unknown(String, question: Int?)
}

/// What came of a request that is done.
public enum RequestOutcome: Sendable, Hashable {
    case hello(TypeDescription)
    case configured(ConfiguredDescription)
    /// Of `check` and of `logout`: one sentence.
    case text(String)
    case receipt(Receipt)
    case presence(Presence)
    case albums([String])
    case link(String)
    case leftovers([Leftover])
    case loginBegun(LoginPrompt)
    case login(LoginProgress)
    case logout(Revocation)
    /// Nothing but that it is done.
    case nothing
}

/// What a submitter asks the host.
public enum HostQuestion: Sendable, Hashable {
    /// The text of a secret.
    case secret(String)
    /// To keep a checkpoint of a request, or to forget it; answered when it is on disk.
    case checkpoint(id: Int, String?)
    /// Bytes of a request's item.
    case read(id: Int, offset: Int64, length: Int)
    /// Whether a request's item is still what was accepted.
    case unchanged(id: Int)
    /// What was noted on a topic.
    case note(topic: String)
    /// To note something on a topic, or to forget it.
    case keepNote(topic: String, String?)
}

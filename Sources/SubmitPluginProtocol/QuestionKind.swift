/// What a submitter can ask the host, by the name of its message.
public enum QuestionKind: String, Sendable, Hashable, CaseIterable {
    case secret, checkpoint, read, unchanged, note, keepNote
}

extension HostQuestion {
    public var kind: QuestionKind {
        switch self {
        case .secret: .secret
        case .checkpoint: .checkpoint
        case .read: .read
        case .unchanged: .unchanged
        case .note: .note
        case .keepNote: .keepNote
        }
    }
}

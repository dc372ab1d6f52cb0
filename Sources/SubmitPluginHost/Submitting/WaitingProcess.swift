internal import Submit
internal import SubmitConcurrency

/// A process that said what it is and waits for someone to configure it. It ends with this value.
final class WaitingProcess: Sendable {
    private let conversation: Locked<Conversation?>

    init(_ conversation: Conversation) {
        self.conversation = Locked(conversation)
    }

    deinit {
        conversation.withLock { $0 }?.letGo()
    }

    /// Takes the process; `nil` where someone did before, or it is gone.
    func take() -> Conversation? {
        let taken = conversation.withLock { conversation in
            defer { conversation = nil }
            return conversation
        }
        guard let taken else { return nil }
        guard !taken.isOver else {
            taken.letGo()
            return nil
        }
        return taken
    }
}

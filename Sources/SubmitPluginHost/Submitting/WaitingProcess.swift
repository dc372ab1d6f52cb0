internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

/// A process that said what it is and waits for someone to configure it. It ends with this value.
final class WaitingProcess: Sendable {
    private let conversation: Locked<Conversation?>

    init(_ conversation: Conversation) {
        self.conversation = Locked(conversation)
    }

    deinit {
        conversation.withLock { $0 }?.letGo()
    }

    /// Takes the process; `nil` where someone did before, it is gone, or its environment held secrets before anyone knew
    /// that they are.
    func take(unlessGiven type: TypeDescription) -> Conversation? {
        let taken = conversation.withLock { conversation in
            defer { conversation = nil }
            return conversation
        }
        guard let taken else { return nil }
        guard !taken.isOver, taken.given.isDisjoint(with: type.secretVariables) else {
            taken.letGo()
            return nil
        }
        return taken
    }
}

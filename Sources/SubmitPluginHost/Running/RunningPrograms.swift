internal import Submit
internal import SubmitConcurrency
internal import SubmitPrograms

/// All processes of programs that are submitters.
///
/// A program that keeps to the protocol ends when its host does. For the others, and those that take their time, the
/// host ends them before itself.
public enum RunningPrograms {
    private static let all = Locked<[ObjectIdentifier: Conversation]>([:])

    static func begin(_ conversation: Conversation) {
        all.withLock { all in
            all = all.filter { !$0.value.child.isGone }
            all[ObjectIdentifier(conversation)] = conversation
        }
    }

    /// Ends all processes, and returns when nothing is left of them: at most ten seconds later, unless one cannot even be
    /// killed. What is open fails and is tried again. Cancelling the task ends the wait.
    public static func end() async {
        let living = all.withLock { all in
            all = all.filter { !$0.value.child.isGone }
            return Array(all.values)
        }
        for conversation in living { conversation.letGo() }
        for conversation in living {
            do throws(SubmitFailure) {
                try await conversation.gone()
            } catch {
                if error.remedy == .cancelled { return }
            }
        }
    }
}

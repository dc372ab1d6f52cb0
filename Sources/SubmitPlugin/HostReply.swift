internal import Submit
internal import SubmitPluginProtocol

/// What the host replied to a question.
enum HostReply: Sendable {
    case answer(HostAnswer)
    case denied(SubmitFailure)
    case unsupported

    /// The answer, where one is needed to go on.
    var needed: Result<HostAnswer, SubmitFailure> {
        switch self {
        case .answer(let answer): .success(answer)
        case .denied(let failure): .failure(failure)
        case .unsupported:
            .failure(
                SubmitFailure(
                    .giveUp, code: "host-unsupported",
                    message: "The program that started this submitter does not know a question that it asks: update it."
                ))
        }
    }

    /// The text, where there is one and the host knows the question.
    var text: String? {
        if case .answer(.text(let text)) = self { text } else { nil }
    }
}

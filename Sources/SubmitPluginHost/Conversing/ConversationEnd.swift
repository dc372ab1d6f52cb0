internal import Submit
internal import SubmitPluginProtocol
internal import SystemPackage

/// Why nothing more is said to a process.
enum ConversationEnd: Sendable, Hashable {
    case notStarted(Errno)
    case exited(status: CInt)
    case killed(signal: CInt)
    /// It lives, and nothing can be said to it or heard of it any more.
    case closedPipes
    /// What it did that the protocol does not allow, as the end of a sentence.
    case misbehaved(String)
    /// It showed no sign of life for so long.
    case hung(seconds: Int)
    case ignoredCancel
    /// Nobody needs it any more.
    case letGo

    var code: String {
        switch self {
        case .notStarted: "submitter-unusable"
        case .exited, .killed, .closedPipes, .letGo: "submitter-crashed"
        case .misbehaved: "submitter-misbehaved"
        case .hung, .ignoredCancel: "submitter-hung"
        }
    }

    /// What happened, as the end of a sentence that begins with the program.
    var story: String {
        switch self {
        case .notStarted(let error): "cannot be run (\(error))"
        case .exited(let status): "ended before it was done, with the status \(status)"
        case .killed(let signal): "was killed before it was done, by the signal \(signal)"
        case .closedPipes: "closed its input or output before it was done"
        case .misbehaved(let what): what
        case .hung(let seconds): "showed no sign of life for \(seconds) seconds and was ended"
        case .ignoredCancel: "did not stop when it was asked to and was ended"
        case .letGo: "was ended"
        }
    }
}

extension OpenRequest {
    /// What becomes of a request whose program is no longer spoken to.
    ///
    /// - Parameter words: what the program wrote last for people, fit to be shown; empty for nothing.
    func failure(_ end: ConversationEnd, of program: ExternalProgram, for destination: String?, words: String)
        -> SubmitFailure
    {
        if cancelDeadline != nil { return .cancelled }
        let name = PluginProtocol.programPrefix + program.name
        let wrote = words.isEmpty ? "" : " (it last wrote “\(words)”)"
        let story = "\(name) \(end.story)\(wrote)"
        let place = destination.map { " to “\($0)”" } ?? ""
        switch request {
        case .hello, .configure:
            if case .notStarted(let error) = end,
                [
                    .resourceTemporarilyUnavailable, .noMemory, .tooManyOpenFiles,
                    .tooManyOpenFilesInSystem,
                ].contains(error)
            {
                return SubmitFailure(
                    .retry(after: nil), code: "resources",
                    message:
                        "“\(program.path)” could not be started now (\(error)): raise the limits of this user, or send less at once."
                )
            }
            let subject = destination.map { "“\($0)” cannot be used" } ?? "The type “\(program.name)” cannot be used"
            return SubmitFailure(
                .hold(.misconfigured, after: nil), code: end.code,
                message: "\(subject): \(story); mend or remove “\(program.path)”.")
        case .submit(let attempt):
            return SubmitFailure(
                .retry(after: nil), code: end.code,
                message:
                    "“\(attempt.item.name)” was not sent\(place): \(story); where trying again does not help, look at "
                    + "“\(program.path)”.")
        case .discard(let attempt):
            return SubmitFailure(
                .retry(after: nil), code: end.code,
                message:
                    "What was sent of “\(attempt.item.name)”\(place) was not removed: \(story); where trying again does not "
                    + "help, look at “\(program.path)”.")
        default:
            let subject = destination.map { "“\($0)” could not be asked" } ?? "It could not be asked"
            return SubmitFailure(
                .retry(after: nil), code: end.code,
                message: "\(subject): \(story); where trying again does not help, look at “\(program.path)”.")
        }
    }
}

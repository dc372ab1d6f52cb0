internal import Logging
internal import Submit

/// What a program is called with and how it ended, for whoever looks for a fault. Never its environment.
struct ProgramTrace: Sendable {
    private let logger: Logger
    private let program: String
    private let begun = ContinuousClock.now

    /// Logs the call, where `Logger.current` is heard at the level `trace`; else there is nothing to trace.
    init?(_ program: String, _ arguments: [String]) {
        let logger = Logger.current
        guard logger.logLevel <= .trace else { return nil }
        self.logger = logger
        self.program = program
        logger.trace(
            "program starts",
            metadata: [
                "program": .string(program),
                "arguments": .array(arguments.map { .string(ForeignText.line($0)) }),
            ])
    }

    func ended(_ status: ProgramResult.Ending, complaint: [UInt8] = []) {
        var facts = facts
        switch status {
        case .exited(let code): facts["exit"] = "\(code)"
        case .killed(let signal): facts["signal"] = "\(signal)"
        case .late: facts["reason"] = "its time was up"
        }
        if let said = ForeignText.lastLine(of: complaint) { facts["said"] = .string(said) }
        logger.trace("program ended", metadata: facts)
    }

    func failed(_ trouble: ProgramFailure) {
        logger.trace("program ended", metadata: facts.merging(["reason": "\(trouble)"]) { $1 })
    }

    private var facts: Logger.Metadata {
        let time = ContinuousClock.now - begun
        return ["program": .string(program), "ms": "\(time.milliseconds)"]
    }
}

internal import Logging
internal import Submit
internal import SubmitStore
internal import SystemPackage

extension Logger {
    /// Logs an event: what an operator wants to know of a run as `info`, and what lies in between as `debug`.
    func tell(_ event: SubmitEvent) {
        guard logLevel <= .info else { return }
        switch event {
        case .accepted(let item, let batch, let submissions):
            for waiting in submissions {
                let facts: Metadata = [
                    "batch": "\(batch)", "submission": "\(waiting.id)", "destination": .string(waiting.destination),
                    "name": .string(item.name), "size": "\(item.size)",
                ]
                if let refusal = waiting.refusal {
                    info("accepted, and failed beforehand", metadata: facts.adding(refusal))
                } else {
                    info("accepted", metadata: facts)
                }
            }
        case .refused(let path, let batch, let failure):
            info("refused", metadata: ["batch": "\(batch)", "path": .string(path.string)].adding(failure))
        case .leftBehind(let left, let batch):
            debug(
                "left behind",
                metadata: [
                    "batch": "\(batch)", "path": .string(left.path.string), "reason": .string(left.reason.rawValue),
                ])
        case .batchComplete(let batch, let items):
            debug("all accepted", metadata: ["batch": "\(batch)", "items": "\(items)"])
        case .started(let note): debug("attempt begins", metadata: .of(note).adding(["name": .string(note.item.name)]))
        case .done(let note, let receipt): info("done", metadata: .of(note).adding(receipt))
        case .failed(let note, let failure): info("failed", metadata: .of(note).adding(failure))
        case .waiting(let note, let failure, let until):
            info("waiting", metadata: .of(note).adding(["until": .until(until)]).adding(failure))
        case .cancelled(let note): info("cancelled", metadata: .of(note))
        case .onHold(let state):
            info(
                "destination on hold",
                metadata: [
                    "destination": .string(state.name), "until": .until(state.hold?.until),
                    "hold": .string(state.hold?.reason?.rawValue ?? "credentials"),
                    "code": .string(state.hold?.code ?? ""),
                    "reason": .string(state.hold?.message ?? ""),
                ])
        case .holdEnded(let destination):
            info(
                "destination released",
                metadata: ["destination": .string(destination), "reason": "a submission arrived"])
        case .paused(let destination):
            info(
                "destination paused",
                metadata: ["destination": .string(destination), "reason": "somebody asked for it"])
        case .resumed(let destination):
            // A resume ends pauses of all it speaks of, also where there was none.
            debug(
                "destination resumed",
                metadata: ["destination": .string(destination), "reason": "somebody asked for it"])
        case .sourceRemoved(let item, let batch, let place):
            let kept = place.map { "moved to \($0)" } ?? "deleted"
            info(
                "source removed",
                metadata: [
                    "batch": "\(batch)", "path": .string(item.source.string),
                    "reason": .string("enough copies are verified; \(kept)"),
                ])
        case .sourceKept(let item, let batch, let failure, let isForGood):
            let facts: Metadata = ["batch": "\(batch)", "path": .string(item.source.string)]
            log(
                level: isForGood ? .info : .debug, isForGood ? "source kept" : "source kept for now",
                metadata: facts.adding(failure))
        }
    }

    /// The same logger for what an attempt does.
    func attempting(_ claim: ClaimedSubmission) -> Logger {
        guard logLevel < .critical else { return self }
        var logger = self
        for (key, value) in Metadata.of(SubmissionNote(claim)) { logger[metadataKey: key] = value }
        return logger
    }
}

extension [String: Logger.MetadataValue] {
    static func of(_ note: SubmissionNote) -> Self {
        [
            "batch": "\(note.batch)", "submission": "\(note.id)", "destination": .string(note.destination),
            "attempt": "\(note.attempt)",
        ]
    }

    func adding(_ facts: Self) -> Self { merging(facts) { $1 } }

    func adding(_ failure: SubmitFailure) -> Self {
        adding([
            "code": .string(failure.code), "remedy": .string(failure.remedy.word), "reason": .string(failure.message),
        ])
    }

    fileprivate func adding(_ receipt: Receipt) -> Self {
        var facts = adding(["evidence": .string(receipt.evidence.rawValue), "remote_id": .string(receipt.remoteID)])
        if receipt.wasThere { facts["reason"] = "it was there" }
        if let note = receipt.note { facts["note"] = .string(note) }
        return facts
    }
}

extension Logger.MetadataValue {
    fileprivate static func until(_ time: Timestamp?) -> Self { time.map { .string($0.text) } ?? "someone acts" }
}

extension Remedy {
    /// One word, in the log and in metrics.
    var word: String {
        switch self {
        case .retry: "retry"
        case .tryAnother: "try-another"
        case .wait: "wait"
        case .renewCredentials: "renew-credentials"
        case .hold: "hold"
        case .giveUp: "give-up"
        case .sourceLost: "source-lost"
        case .cancelled: "cancelled"
        case .outcomeUnknown: "outcome-unknown"
        }
    }
}

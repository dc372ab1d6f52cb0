internal import Foundation
internal import Submit
internal import SubmitTesting

/// How verdicts and the card are shown.
enum ContractDisplay {
    case text, json

    /// On a terminal, which promise is being tried: some take long, and a faulty submitter may never come to an end.
    func showTrying(_ promise: ContractCase) {
        guard case .text = self, Terminal.isThere else { return }
        Output.raw(Printable.fit("… " + promise.name, Terminal.columns - 1, fills: false) + "\r")
        Output.flush()
    }

    /// - Parameter isFirst: whether no promise before it came to the same end, which is shown at once. The others come last,
    ///   in one line for each cause, and so do those that were not tried.
    func show(_ verdict: Verdict, on promise: ContractCase, isFirst: Bool) {
        let (word, sign, style, why) = verdict.words
        switch self {
        case .text:
            guard word != "not-tried", isFirst else { return }
            say(sign, style, promise.name + (why.map { ": \($0)" } ?? ""))
        case .json:
            var object: [String: Any] = [
                "event": "promise", "id": promise.id, "promise": promise.name, "outcome": word,
            ]
            object["message"] = why
            if case .failed(let failure) = verdict { object["code"] = failure.code }
            JSONOutput.print(object)
            Output.flush()
        }
    }

    private func say(_ sign: String, _ style: Terminal.Style, _ text: String) {
        let line = Terminal.styled(sign, style) + " " + Printable.line(text)
        Output.line((Terminal.isThere ? Terminal.clearLine : "") + line)
        Output.flush()
    }

    func show(_ card: ContractCard) {
        switch self {
        case .text:
            for (verdict, promises) in card.causes {
                let (word, sign, style, why) = verdict.words
                let isUntried = word == "not-tried"
                let rest = isUntried ? promises[...] : promises.dropFirst()
                guard let first = rest.first else { continue }
                let (outcome, reason) = (isUntried ? "not tried, because" : "broken:", why ?? "")
                if rest.count == 1 {
                    say(sign, style, isUntried ? "\(first.name): \(outcome) \(reason)" : "\(first.name): \(reason)")
                } else {
                    let count = isUntried ? "\(rest.count) promises" : "\(rest.count) more promises"
                    // `--only` takes the ids.
                    say(sign, style, "\(count) \(outcome) \(reason) (\(rest.map(\.id).joined(separator: ", ")))")
                }
            }
            for line in Self.lines(card) { Output.line(Printable.line(line)) }
        case .json: JSONOutput.print(Self.object(card))
        }
    }

    private static func lines(_ card: ContractCard) -> [String] {
        let facts = card.facts
        let rows = [
            ("destination", card.destination), ("type", "\(card.type.name), \(card.type.origin)"),
            ("kept", "\(card.kept)"), ("broken", "\(card.broken)"), ("not tried", "\(card.notTried)"),
            ("evidence", card.evidence.isEmpty ? "none" : card.evidence.map(\.rawValue).joined(separator: ", ")),
            ("resumes", card.resumes.rawValue), ("reads back", facts.canReadBack ? "yes" : "no"),
            ("albums", facts.supportsAlbums ? "yes" : "no"),
        ]
        let table = rows.map { name, value in
            "  " + name + String(repeating: " ", count: 13 - name.count) + value
        }
        return [""] + table + remains(card.remains).map { "  remains      \($0)" }
    }

    /// The first of them: one cause may leave a hundred.
    private static func remains(_ names: [String]) -> [String] {
        guard !names.isEmpty else { return ["nothing"] }
        guard names.count > most + 1 else { return names }
        return names.prefix(most) + ["and \(names.count - most) more; --json lists all of them"]
    }

    private static let most = 10

    private static func object(_ card: ContractCard) -> [String: Any] {
        [
            "event": "card", "destination": card.destination, "type": card.type.name, "origin": card.type.origin,
            "kept": card.kept, "broken": card.broken, "not_tried": card.notTried,
            "evidence": card.evidence.map(\.rawValue), "resumes": card.resumes.rawValue,
            "reads_back": card.facts.canReadBack, "albums": card.facts.supportsAlbums, "remains": card.remains,
        ]
    }
}

extension Verdict {
    /// For programs; for people; how that is styled; and why.
    fileprivate var words: (word: String, sign: String, style: Terminal.Style, why: String?) {
        switch self {
        case .kept: ("kept", "✓", .good, nil)
        case .broken(let why): ("broken", "✗", .bad, why)
        case .failed(let failure): ("broken", "✗", .bad, failure.message)
        case .notTried(let why): ("not-tried", "–", .quiet, why.advised)
        }
    }
}

extension NotTried {
    /// Its clause, with what to do about it on the command line.
    fileprivate var advised: String {
        switch requirement {
        case .fault, .anyFault: "\(clause); give --faults a command for that"
        default: clause
        }
    }
}

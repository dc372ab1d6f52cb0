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

    func show(_ verdict: Verdict, on promise: ContractCase) {
        let (word, sign, style, why) = verdict.words
        switch self {
        case .text:
            let reason = why.map { word == "not-tried" ? ": not tried, because \($0)" : ": \($0)" } ?? ""
            let line = Terminal.styled(sign, style) + " " + Printable.line(promise.name + reason)
            Output.line((Terminal.isThere ? Terminal.clearLine : "") + line)
            Output.flush()
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

    func show(_ card: ContractCard) {
        switch self {
        case .text: for line in Self.lines(card) { Output.line(Printable.line(line)) }
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
        let remains = card.remains.isEmpty ? ["  remains      nothing"] : card.remains.map { "  remains      \($0)" }
        return [""] + table + remains
    }

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
        case .fault, .anyFault: "\(clause), or --faults a command for that"
        default: clause
        }
    }
}

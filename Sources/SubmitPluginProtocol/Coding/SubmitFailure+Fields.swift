internal import Submit

extension SubmitFailure {
    init(reading fields: FieldReader) throws {
        let milliseconds: Int64? = try fields.numberIfPresent(.afterMilliseconds)
        let after = milliseconds.map { Duration.milliseconds($0) }
        let remedy: Remedy =
            switch try fields.word(.remedy) as RemedyName {
            case .retry:
                // A reason that is none of ours says no more than that it is to be tried again.
                try fields.textIfPresent(.reason) == HoldReason.unreachable.rawValue
                    ? .tryAnother(after: after) : .retry(after: after)
            case .wait: .wait(after: after ?? .seconds(1))
            case .renewCredentials: .renewCredentials
            case .hold: .hold(try fields.word(.reason), after: after)
            case .giveUp: .giveUp
            case .sourceLost: .sourceLost
            case .cancelled: .cancelled
            case .outcomeUnknown: .outcomeUnknown
            }
        try self.init(remedy, code: fields.textIfPresent(.code) ?? "failed", message: fields.text(.sentence))
    }

    func write(to fields: inout FieldWriter) throws {
        let (name, reason, after) = remedy.parts
        try fields.encode(name.rawValue, forKey: .remedy)
        try fields.encodeIfPresent(reason?.rawValue, forKey: .reason)
        try fields.encodeIfPresent(after?.milliseconds, forKey: .afterMilliseconds)
        try fields.encode(code, forKey: .code)
        try fields.encode(message, forKey: .sentence)
    }
}

/// The remedies by name.
package enum RemedyName: String, CaseIterable {
    case retry, wait, renewCredentials
    case hold = "park"
    case giveUp, sourceLost, cancelled, outcomeUnknown
}

extension Remedy {
    /// The fields of `failed` that name it, such as `"remedy":"park","reason":"full"`.
    package var fieldsText: String {
        let (name, reason, _) = parts
        return "\"remedy\":\"\(name.rawValue)\"" + (reason.map { ",\"reason\":\"\($0.rawValue)\"" } ?? "")
    }

    fileprivate var parts: (RemedyName, HoldReason?, Duration?) {
        switch self {
        case .retry(let after): (.retry, nil, after)
        // So a host that does not know the reason tries it again.
        case .tryAnother(let after): (.retry, .unreachable, after)
        case .wait(let after): (.wait, nil, after)
        case .renewCredentials: (.renewCredentials, nil, nil)
        case .hold(let reason, let after): (.hold, reason, after)
        case .giveUp: (.giveUp, nil, nil)
        case .sourceLost: (.sourceLost, nil, nil)
        case .cancelled: (.cancelled, nil, nil)
        case .outcomeUnknown: (.outcomeUnknown, nil, nil)
        }
    }
}

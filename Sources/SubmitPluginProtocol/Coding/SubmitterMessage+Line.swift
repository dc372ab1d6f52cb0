internal import Submit

extension SubmitterMessage {
    /// The message as a JSON object, without the line's end.
    public var line: [UInt8] { encoded() }

    /// Reads a line, without its end.
    ///
    /// - Parameter requests: what is open, by number: only who knows what was asked can read what came of it. Of a
    ///   request that is not in it the outcome is ``RequestOutcome/nothing``.
    public init(line: [UInt8], requests: [Int: RequestKind]) throws(MalformedMessage) {
        guard line.count <= PluginProtocol.longestLine else { throw MalformedMessage("it is too long") }
        try self.init(decoding: line, requests: requests)
    }
}

/// The messages of a submitter that are no questions, by name.
package enum SubmitterMessageName: String, CaseIterable {
    case done, failed, unsupported, progress, log
}

extension SubmitterMessage: MessageLine {
    init(reading fields: FieldReader, requests: [Int: RequestKind]) throws {
        let name = try fields.text(.message)
        if let kind = QuestionKind(rawValue: name) {
            self = try .question(fields.number(.question), HostQuestion(kind, reading: fields))
            return
        }
        switch SubmitterMessageName(rawValue: name) {
        case .done:
            let id: Int = try fields.number(.id)
            self = .done(id: id, try requests[id].map { try RequestOutcome(of: $0, reading: fields) } ?? .nothing)
        case .failed: self = try .failed(id: fields.number(.id), SubmitFailure(reading: fields))
        case .unsupported: self = try .unsupported(id: fields.number(.id))
        case .progress:
            self = try .progress(
                id: fields.number(.id), sent: fields.numberIfPresent(.sent), landed: fields.numberIfPresent(.landed))
        case .log: self = try .log(fields.text(.text))
        case nil: self = try .unknown(name, question: fields.numberIfPresent(.question))
        }
    }

    func write(to fields: inout FieldWriter) throws {
        switch self {
        case .done(let id, let outcome):
            try fields.encode(SubmitterMessageName.done.rawValue, forKey: .message)
            try fields.encode(id, forKey: .id)
            try outcome.write(to: &fields)
        case .failed(let id, let failure):
            try fields.encode(SubmitterMessageName.failed.rawValue, forKey: .message)
            try fields.encode(id, forKey: .id)
            try failure.write(to: &fields)
        case .unsupported(let id):
            try fields.encode(SubmitterMessageName.unsupported.rawValue, forKey: .message)
            try fields.encode(id, forKey: .id)
        case .progress(let id, let sent, let landed):
            try fields.encode(SubmitterMessageName.progress.rawValue, forKey: .message)
            try fields.encode(id, forKey: .id)
            try fields.encodeIfPresent(sent, forKey: .sent)
            try fields.encodeIfPresent(landed, forKey: .landed)
        case .question(let number, let question):
            try fields.encode(question.kind.rawValue, forKey: .message)
            try fields.encode(number, forKey: .question)
            try question.write(to: &fields)
        case .log(let text):
            try fields.encode(SubmitterMessageName.log.rawValue, forKey: .message)
            try fields.encode(text, forKey: .text)
        case .unknown(let name, let question):
            try fields.encode(name, forKey: .message)
            try fields.encodeIfPresent(question, forKey: .question)
        }
    }
}

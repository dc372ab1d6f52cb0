internal import FoundationEssentials
internal import Submit

extension HostMessage {
    /// The message as a JSON object, without the line's end.
    public var line: [UInt8] { encoded() }

    /// Reads a line, without its end.
    public init(line: [UInt8]) throws(MalformedMessage) {
        try self.init(decoding: line, requests: [:])
    }
}

/// The messages of the host that are no requests, by name.
package enum HostMessageName: String, CaseIterable {
    case cancel, answer, denied, unsupported
}

extension HostMessage: MessageLine {
    init(reading fields: FieldReader, requests: [Int: RequestKind]) throws {
        let name = try fields.text(.message)
        if let kind = RequestKind(rawValue: name) {
            self = try .request(id: fields.number(.id), HostRequest(kind, reading: fields))
            return
        }
        switch HostMessageName(rawValue: name) {
        case .cancel: self = try .cancel(id: fields.number(.id))
        case .answer: self = try .answer(question: fields.number(.question), HostAnswer(reading: fields))
        case .denied: self = try .denied(question: fields.number(.question), SubmitFailure(reading: fields))
        case .unsupported: self = try .unsupported(question: fields.number(.question))
        case nil: self = try .unknown(name, id: fields.numberIfPresent(.id))
        }
    }

    func write(to fields: inout FieldWriter) throws {
        switch self {
        case .request(let id, let request):
            try fields.encode(request.kind.rawValue, forKey: .message)
            try fields.encode(id, forKey: .id)
            try request.write(to: &fields)
        case .cancel(let id):
            try fields.encode(HostMessageName.cancel.rawValue, forKey: .message)
            try fields.encode(id, forKey: .id)
        case .answer(let question, let answer):
            try fields.encode(HostMessageName.answer.rawValue, forKey: .message)
            try fields.encode(question, forKey: .question)
            try answer.write(to: &fields)
        case .denied(let question, let failure):
            try fields.encode(HostMessageName.denied.rawValue, forKey: .message)
            try fields.encode(question, forKey: .question)
            try failure.write(to: &fields)
        case .unsupported(let question):
            try fields.encode(HostMessageName.unsupported.rawValue, forKey: .message)
            try fields.encode(question, forKey: .question)
        case .unknown(let name, let id):
            try fields.encode(name, forKey: .message)
            try fields.encodeIfPresent(id, forKey: .id)
        }
    }
}

extension HostAnswer {
    fileprivate init(reading fields: FieldReader) throws {
        if let text = try fields.textIfPresent(.text) {
            self = .text(text)
        } else if let text = try fields.textIfPresent(.bytes) {
            guard let bytes = Data(base64Encoded: text), bytes.count <= PluginProtocol.longestRead else {
                throw MalformedMessage("“bytes” cannot be read")
            }
            self = .bytes([UInt8](bytes))
        } else {
            self = .nothing
        }
    }

    fileprivate func write(to fields: inout FieldWriter) throws {
        switch self {
        case .nothing: break
        case .text(let text): try fields.encode(text, forKey: .text)
        case .bytes(let bytes): try fields.encode(Data(bytes).base64EncodedString(), forKey: .bytes)
        }
    }
}

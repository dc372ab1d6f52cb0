internal import FoundationEssentials

/// Something that stands on a line of its own.
protocol MessageLine {
    /// Reads the fields. Throws ``MalformedMessage`` or a `DecodingError`.
    init(reading fields: FieldReader, requests: [Int: RequestKind]) throws

    func write(to fields: inout FieldWriter) throws
}

extension MessageLine {
    /// The message as a JSON object, without the line's end.
    func encoded() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try [UInt8](encoder.encode(Written(message: self)))
        } catch {
            // Numbers, texts and lists of them are always JSON.
            preconditionFailure("A message cannot be written: \(MalformedMessage(error))")
        }
    }

    init(decoding line: [UInt8], requests: [Int: RequestKind]) throws(MalformedMessage) {
        try LineShape.check(line)
        do {
            self = try JSONDecoder().decode(Read<Self>.self, from: Data(line), configuration: requests).message
        } catch {
            throw MalformedMessage(error)
        }
    }
}

private struct Written<Message: MessageLine>: Encodable {
    let message: Message

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: MessageField.self)
        try message.write(to: &fields)
    }
}

private struct Read<Message: MessageLine>: DecodableWithConfiguration {
    let message: Message

    init(from decoder: any Decoder, configuration: [Int: RequestKind]) throws {
        message = try Message(reading: decoder.container(keyedBy: MessageField.self), requests: configuration)
    }
}

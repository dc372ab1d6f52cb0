extension HostQuestion {
    init(_ kind: QuestionKind, reading fields: FieldReader) throws {
        let longest = PluginProtocol.longestCheckpoint
        switch kind {
        case .secret: self = try .secret(fields.text(.name))
        case .checkpoint:
            self = try .checkpoint(id: fields.number(.id), fields.textIfPresent(.text, longest: longest))
        case .read:
            self = try .read(
                id: fields.number(.id), offset: fields.number(.offset),
                length: fields.number(.length, in: 1...PluginProtocol.longestRead))
        case .unchanged: self = try .unchanged(id: fields.number(.id))
        case .note: self = try .note(topic: fields.text(.topic))
        case .keepNote:
            self = try .keepNote(topic: fields.text(.topic), fields.textIfPresent(.text, longest: longest))
        }
    }

    func write(to fields: inout FieldWriter) throws {
        switch self {
        case .secret(let name):
            try fields.encode(name, forKey: .name)
        case .checkpoint(let id, let text):
            try fields.encode(id, forKey: .id)
            try fields.encodeIfPresent(text, forKey: .text)
        case .read(let id, let offset, let length):
            try fields.encode(id, forKey: .id)
            try fields.encode(offset, forKey: .offset)
            try fields.encode(length, forKey: .length)
        case .unchanged(let id):
            try fields.encode(id, forKey: .id)
        case .note(let topic):
            try fields.encode(topic, forKey: .topic)
        case .keepNote(let topic, let text):
            try fields.encode(topic, forKey: .topic)
            try fields.encodeIfPresent(text, forKey: .text)
        }
    }
}

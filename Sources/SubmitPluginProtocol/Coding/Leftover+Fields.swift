internal import Submit

extension Leftover {
    init(reading fields: FieldReader) throws {
        let begun = try fields.textIfPresent(.begun).map { text in
            guard let time = Timestamp(text: text) else { throw MalformedMessage("“begun” is no time") }
            return time
        }
        try self.init(
            id: fields.decode(String.self, forKey: .id), name: fields.text(.name), begun: begun,
            bytes: fields.numberIfPresent(.bytes))
    }

    func write(to fields: inout FieldWriter) throws {
        try fields.encode(id, forKey: .id)
        try fields.encode(name, forKey: .name)
        try fields.encodeIfPresent(begun?.text, forKey: .begun)
        try fields.encodeIfPresent(bytes, forKey: .bytes)
    }
}

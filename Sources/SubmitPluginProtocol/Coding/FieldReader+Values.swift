extension FieldReader {
    /// Whether the field is there and not `null`.
    func has(_ field: MessageField) throws -> Bool {
        try contains(field) && !decodeNil(forKey: field)
    }

    func text(_ field: MessageField) throws -> String {
        try decode(String.self, forKey: field)
    }

    func textIfPresent(_ field: MessageField) throws -> String? {
        try decodeIfPresent(String.self, forKey: field)
    }

    /// A text of at most so many bytes of UTF-8.
    func textIfPresent(_ field: MessageField, longest: Int) throws -> String? {
        let text = try textIfPresent(field)
        guard text?.utf8.count ?? 0 <= longest else { throw MalformedMessage("“\(field.rawValue)” is too long") }
        return text
    }

    func texts(_ field: MessageField) throws -> [String] {
        try decodeIfPresent([String].self, forKey: field) ?? []
    }

    func textsByName(_ field: MessageField) throws -> [String: String] {
        try decodeIfPresent([String: String].self, forKey: field) ?? [:]
    }

    func flag(_ field: MessageField, otherwise: Bool = false) throws -> Bool {
        try decodeIfPresent(Bool.self, forKey: field) ?? otherwise
    }

    func number<Number: FixedWidthInteger & Decodable>(
        _ field: MessageField, in range: ClosedRange<Number> = 0...Number.max
    ) throws -> Number {
        try number(whole(field) { try decode(Number.self, forKey: field) }, field, range)
    }

    func numberIfPresent<Number: FixedWidthInteger & Decodable>(
        _ field: MessageField, in range: ClosedRange<Number> = 0...Number.max
    ) throws -> Number? {
        try whole(field) { try decodeIfPresent(Number.self, forKey: field) }.map { try number($0, field, range) }
    }

    func numbers(_ field: MessageField) throws -> [Int] {
        try whole(field) { try decode([Int].self, forKey: field) }
    }

    /// Names the field that a number does not fit into: the reader of JSON does not.
    private func whole<Value>(_ field: MessageField, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as DecodingError {
            throw error
        } catch {
            // An error of JSONDecoder's own, without a place.
            throw MalformedMessage("“\(field.rawValue)” is no whole number in range")
        }
    }

    private func number<Number: FixedWidthInteger>(
        _ number: Number, _ field: MessageField, _ range: ClosedRange<Number>
    ) throws -> Number {
        guard range.contains(number) else { throw MalformedMessage("“\(field.rawValue)” is out of range") }
        return number
    }

    /// One of the words of a kind.
    func word<Word: RawRepresentable & CaseIterable>(_ field: MessageField) throws -> Word
    where Word.RawValue == String {
        try word(text(field), field)
    }

    func words<Word: RawRepresentable & CaseIterable & Hashable>(_ field: MessageField) throws -> Set<Word>?
    where Word.RawValue == String {
        guard let texts = try decodeIfPresent([String].self, forKey: field) else { return nil }
        return try Set(texts.map { try word($0, field) })
    }

    /// Numbers of bytes by word.
    func sizes<Word: RawRepresentable & CaseIterable & Hashable>(
        _ field: MessageField
    ) throws -> [Word: Int64] where Word.RawValue == String {
        let texts = try whole(field) { try decodeIfPresent([String: Int64].self, forKey: field) } ?? [:]
        var sizes: [Word: Int64] = [:]
        for (text, size) in texts {
            sizes[try word(text, field)] = try number(size, field, 0...Int64.max)
        }
        return sizes
    }

    private func word<Word: RawRepresentable & CaseIterable>(
        _ text: String, _ field: MessageField
    ) throws -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw MalformedMessage("“\(field.rawValue)” is none of \(words)")
        }
        return word
    }

    func object(_ field: MessageField) throws -> FieldReader {
        try nestedContainer(keyedBy: MessageField.self, forKey: field)
    }

    func objects(_ field: MessageField) throws -> [FieldReader] {
        guard try has(field) else { return [] }
        var list = try nestedUnkeyedContainer(forKey: field)
        var objects: [FieldReader] = []
        while !list.isAtEnd { objects.append(try list.nestedContainer(keyedBy: MessageField.self)) }
        return objects
    }
}

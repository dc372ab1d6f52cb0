extension FieldWriter {
    /// Writes words in the order of their letters.
    mutating func encode<Word: RawRepresentable>(
        words: some Sequence<Word>, forKey field: MessageField
    ) throws where Word.RawValue == String {
        try encode(words.map(\.rawValue).sorted(), forKey: field)
    }

    /// Writes numbers of bytes by word.
    mutating func encode<Word: RawRepresentable & Hashable>(
        sizes: [Word: Int64], forKey field: MessageField
    ) throws where Word.RawValue == String {
        try encode(
            Dictionary(uniqueKeysWithValues: sizes.map { ($0.key.rawValue, $0.value) }), forKey: field)
    }

    /// Writes what is not as it would be if it were left out.
    mutating func encode<Value: Encodable & Equatable>(
        _ value: Value, unless usual: Value, forKey field: MessageField
    ) throws {
        if value != usual { try encode(value, forKey: field) }
    }

    /// Writes an object.
    mutating func object(_ field: MessageField, _ write: (inout FieldWriter) throws -> Void) throws {
        var fields = nestedContainer(keyedBy: MessageField.self, forKey: field)
        try write(&fields)
    }

    /// Writes a list of objects.
    mutating func objects<Element>(
        _ elements: [Element], forKey field: MessageField, _ write: (Element, inout FieldWriter) throws -> Void
    ) throws {
        var list = nestedUnkeyedContainer(forKey: field)
        for element in elements {
            var fields = list.nestedContainer(keyedBy: MessageField.self)
            try write(element, &fields)
        }
    }
}

/// Why a question to the catalogue is none: a sentence, and where in the text it went wrong.
public struct CatalogueFault: Error, Sendable, Hashable {
    /// One sentence.
    public var sentence: String
    /// Bytes of UTF-8 before it in what was read; `nil` where nothing was read.
    public var offset: Int?
    /// Where in the structure, such as `where.and[1].captured.gt`; empty for the whole.
    public var path: String
    /// A name that is none.
    public var stranger: String?
    /// The names that could have been meant by ``stranger``.
    public var known: [String]

    /// - Parameters:
    ///   - sentence: what is wrong, with a full stop.
    ///   - stranger: a name that is none of `known`.
    package init(
        _ sentence: String, at offset: Int?, path: String = "", stranger: String? = nil, known: [String] = []
    ) {
        self.sentence = sentence
        self.offset = offset
        self.path = path
        self.stranger = stranger
        self.known = known
    }

    /// ``sentence`` with a hint to the names that may have been meant, and where it is.
    ///
    /// - Parameters:
    ///   - text: what was read, to count its characters.
    ///   - hint: says of a name and of those there are which was meant, such as ` (did you mean “tags”?)`.
    public func explained(of text: String? = nil, hint: (_ name: String, _ known: [String]) -> String) -> String {
        let characters = text.flatMap { text in
            offset.map { String(decoding: text.utf8.prefix($0), as: UTF8.self).count }
        }
        var told = sentence
        if let stranger, !known.isEmpty {
            let hint = hint(stranger, known)
            if hint.isEmpty {
                told += " There are \(known.joined(separator: ", "))."
            } else {
                told = (told.hasSuffix(".") ? String(told.dropLast()) : told) + hint + "."
            }
        }
        let places = [
            characters.map { "at character \($0 + 1)" } ?? offset.map { "after byte \($0)" },
            path.isEmpty ? nil : "in \(path)",
        ].compactMap(\.self)
        return places.isEmpty ? told : "\(told) It is \(places.joined(separator: ", "))."
    }
}

extension CatalogueFault: CustomStringConvertible {
    public var description: String { explained { _, _ in "" } }
}

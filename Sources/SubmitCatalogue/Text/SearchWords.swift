/// Words that are looked for, all of them, anywhere in what people say of a picture: parts of words, case and accents aside.
public struct SearchWords: Sendable, Hashable {
    /// In searchable form, each once, none empty.
    public let words: [String]
    /// Whether the place's name is looked at as well. Not for those to whom the owner does not show it.
    public var includesPlace: Bool

    /// - Throws: where there is no word, or too much of them.
    public init(_ text: String, includesPlace: Bool = true) throws(CatalogueFault) {
        guard text.utf8.count <= CatalogueLimits.searchBytes else {
            throw CatalogueFault(
                "What is looked for is longer than \(CatalogueLimits.searchBytes) bytes.",
                at: CatalogueLimits.searchBytes)
        }
        var words: [String] = []
        for word in TextFolding.searchable(text).split(separator: " ").map(String.init) where !words.contains(word) {
            words.append(word)
        }
        guard !words.isEmpty else { throw CatalogueFault("There is no word to look for.", at: 0) }
        guard words.count <= CatalogueLimits.searchWords else {
            throw CatalogueFault("More than \(CatalogueLimits.searchWords) words are looked for.", at: 0)
        }
        self.words = words
        self.includesPlace = includesPlace
    }

    /// Whether all words are there.
    package func matches(_ picture: CataloguePicture) -> Bool {
        let (text, place) = (picture.searchText, picture.searchPlace)
        return words.allSatisfy { word in
            Self.contains(text, word) || includesPlace && Self.contains(place, word)
        }
    }

    private static func contains(_ text: String, _ word: String) -> Bool {
        var (text, word) = (text, word)
        return text.withUTF8 { text in
            word.withUTF8 { word in
                guard text.count >= word.count else { return false }
                return (0...text.count - word.count).contains { text[$0..<$0 + word.count].elementsEqual(word) }
            }
        }
    }
}

extension CataloguePicture {
    /// What is searched, but for the place: each text in a line of its own, so that no word is found across two.
    package var searchText: String {
        ([name, title, caption] + tags + albums).compactMap { $0.map(TextFolding.searchable) }.joined(separator: "\n")
    }

    /// The place's name as it is searched; empty where there is none.
    package var searchPlace: String { placeName.map(TextFolding.searchable) ?? "" }
}

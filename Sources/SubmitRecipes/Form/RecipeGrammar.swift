/// What may stand at a place of a recipe. Reading, complaining and the JSON Schema all go by it.
indirect enum RecipeGrammar: Sendable {
    case text(TextRule)
    /// Text with `{{ expression }}` in it.
    case template
    /// An expression, in `{{ }}` or not.
    case formula
    /// Anything; its texts are templates.
    case json
    case wholeNumber(ClosedRange<Int64>)
    /// Bytes: `16MiB`.
    case size
    /// Seconds: `30s`, `5m`.
    case time
    case boolean
    case word([String])
    /// A status, a hundred of them, or a list of those.
    case statuses
    case list(RecipeGrammar, least: Int)
    /// `https://api.example.com`, `https://*.example.com`, `{{ settings.server }}`
    case host
    case anyOf([RecipeGrammar])
    /// Names that the recipe's author chooses.
    case named(TextRule, RecipeGrammar)
    case mapping(MappingGrammar)
    case either(RecipeGrammar, MappingGrammar)
    /// A mapping whose further keys hang on the word under one of them.
    case variant(key: String, summary: String, [(word: String, form: MappingGrammar)])
}

/// The keys of a mapping.
struct MappingGrammar: Sendable {
    /// With its article, for sentences: `a request`.
    let title: String
    let keys: [Key]
    /// Of these exactly one stands there.
    let oneOf: [String]

    init(_ title: String, oneOf: [String] = [], _ keys: [Key]) {
        self.title = title
        self.keys = keys
        self.oneOf = oneOf
    }

    struct Key: Sendable {
        let name: String
        let form: RecipeGrammar
        let isRequired: Bool
        /// What it is, without a full stop, for sentences and editors.
        let summary: String

        init(_ name: String, _ form: RecipeGrammar, required: Bool = false, _ summary: String) {
            self.name = name
            self.form = form
            self.isRequired = required
            self.summary = summary
        }
    }

    subscript(name: String) -> Key? { keys.first { $0.name == name } }
}

/// What a plain text must be like.
enum TextRule: String, Sendable, Hashable, CaseIterable {
    case any
    /// A name of a type of destinations.
    case service
    /// A name that expressions use.
    case identifier
    case date
    case jsonPointer
    case xmlPath
    /// A token of HTTP (RFC 9110, section 5.6.2), as names of headers are.
    case token
    case mime
    /// An address of the web, as it is.
    case page

    /// For sentences.
    var expectation: String {
        switch self {
        case .any: "a text"
        case .service: "a name of a–z, 0–9 and “-” that begins with a letter"
        case .identifier: "a name of a–z, 0–9 and “_” that begins with a letter"
        case .date: "a date such as 2026-11-21"
        case .jsonPointer: "a JSON pointer such as /data/id (RFC 6901), without {{ }}"
        case .xmlPath: "local names of elements and perhaps an attribute, such as rsp/err@code"
        case .token: "a name as headers have it: letters, digits and “-”"
        case .page: "an address that begins with https://"
        case .mime: "a MIME type such as image/jpeg, in small letters and without parameters"
        }
    }

    /// For the JSON Schema.
    var pattern: String? {
        switch self {
        case .any: nil
        case .service: "^[a-z][a-z0-9-]{0,63}$"
        case .identifier: "^[a-z][a-z0-9_]{0,63}$"
        case .date: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
        // What is reckoned stands in no pointer: its tokens are names as they are.
        case .jsonPointer: "^(?!.*\\{\\{)(/([^~/]|~[01])*)*$"
        case .xmlPath: "^[^/@\\s:]+(/[^/@\\s:]+)*(@[^/@\\s:]+)?$"
        case .token: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
        case .page: "^https://[!-~]+$"
        case .mime: "^[a-z0-9.+-]+/[a-z0-9.+*-]+$"
        }
    }

    func allows(_ text: String) -> Bool {
        switch self {
        case .any: return true
        case .service: return Self.isName(text, "-")
        case .identifier: return Self.isName(text, "_")
        case .date:
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }),
                let month = Int(parts[1]), let day = Int(parts[2])
            else { return false }
            return (1...12).contains(month) && (1...31).contains(day)
        case .jsonPointer: return JSONPointer(text) != nil && !text.contains("{{")
        case .xmlPath: return XMLPath(text) != nil
        case .token:
            return !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    switch byte {
                    case 48...57, 65...90, 97...122: true
                    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                    }
                }
        case .page:
            return text.hasPrefix("https://") && text.utf8.count > 8 && text.utf8.allSatisfy { (33...126).contains($0) }
        case .mime:
            let halves = text.split(separator: "/", omittingEmptySubsequences: false)
            return halves.count == 2
                && halves.allSatisfy { half in
                    !half.isEmpty
                        && half.utf8.allSatisfy {
                            (48...57).contains($0) || (97...122).contains($0) || ".+-*".utf8.contains($0)
                        }
                }
        }
    }

    private static func isName(_ text: String, _ joint: Character) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, (97...122).contains(first), bytes.count <= 64 else { return false }
        return bytes.allSatisfy { (48...57).contains($0) || (97...122).contains($0) || $0 == joint.asciiValue }
    }
}

extension RecipeGrammar {
    /// What should stand there, for sentences.
    var expectation: String {
        switch self {
        case .text(let rule): rule.expectation
        case .template: "a text"
        case .formula: "an expression"
        case .json: "a value"
        case .wholeNumber(let range):
            range.upperBound == .max
                ? "a whole number from \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .size: "a size such as 16MiB"
        case .time: "a time such as 30s, 5m or 1h"
        case .boolean: "true or false"
        case .word(let words): words.count == 1 ? "“\(words[0])”" : "one of \(words.joined(separator: ", "))"
        case .statuses: "a status such as 404, a hundred of them such as 5xx, or a list of those"
        case .list(let element, _): "a list, in which each is \(element.expectation)"
        case .host: "https:// and a host, which may begin with “*.”, or {{ settings.NAME }}"
        case .anyOf(let forms): forms.map(\.expectation).joined(separator: ", or ")
        case .named: "lines of “name: value”"
        case .mapping(let form): "\(form.title): lines of “key: value”"
        case .either(let form, let mapping): "\(form.expectation), or \(mapping.title) (lines of “key: value”)"
        case .variant: "lines of “key: value”"
        }
    }
}

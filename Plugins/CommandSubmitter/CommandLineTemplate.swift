internal import Submit
internal import SubmitPrograms

/// A command line in whose words `{name}` and the like stand for what is known of an item.
///
/// It is split once, before anything is put in, so that no photo's name becomes two words or an operator.
struct CommandLineTemplate: Sendable {
    let words: [String]

    /// - Parameter names: the words that it is given values for.
    /// - Throws: a failure that names the setting.
    init?(_ setting: String, in settings: DestinationSettings, given names: [String]) throws(SubmitFailure) {
        guard let text = settings[setting] else { return nil }
        guard let words = ShellWords.split(text), let program = words.first, !program.isEmpty else {
            throw settings.invalid(setting, "is no command line; close its quotes")
        }
        for word in words.dropFirst() {
            guard let name = Self.names(in: word).first(where: { !names.contains($0) }) else { continue }
            let known = names.isEmpty ? "nothing" : names.map { "{\($0)}" }.joined(separator: ", ")
            throw settings.invalid(setting, "names {\(name)}, and its program is given \(known)")
        }
        self.words = words
    }

    /// What stands in braces as one word. What is meant for the program itself looks different: `{}`, `{print $1}`,
    /// `${SUBMIT_NAME}`.
    private static func names(in word: String) -> [String] {
        var names: [String] = []
        var rest = word[...]
        var before: Character?
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { before = rest[rest.index(before: open)] }
            rest = rest[open...].dropFirst()
            let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            if before != "$", !name.isEmpty, rest[name.endIndex...].first == "}" { names.append(String(name)) }
            before = "{"
        }
        return names
    }

    var program: String { words[0] }

    func mentions(_ name: String) -> Bool { words.contains { $0.contains("{\(name)}") } }

    /// The arguments with their values; the program's own name is taken as it stands.
    func arguments(_ values: [String: String]) -> [String] {
        words.dropFirst().map { Self.filled($0, values) }
    }

    /// Goes through the word once: what stands in a value is not looked at again.
    private static func filled(_ word: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = word[...]
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}") else { break }
            let name = String(rest[rest.index(after: open)..<close])
            if let value = values[name] {
                filled += value
                rest = rest[rest.index(after: close)...]
            } else {
                filled += "{"
                rest = rest.dropFirst()
            }
        }
        return filled + rest
    }
}

internal import Submit
internal import SubmitPrograms

/// A command line in whose words `{name}` and the like stand for what is known of an item.
///
/// It is split once, before anything is put in, so that no photo's name becomes two words or an operator.
struct CommandLineTemplate: Sendable {
    let words: [String]

    /// - Throws: a failure that names the setting.
    init?(_ setting: String, in settings: Settings) throws(SubmitFailure) {
        guard let text = settings[setting] else { return nil }
        guard let words = ShellWords.split(text), let program = words.first, !program.isEmpty else {
            throw settings.invalid(setting, "is no command line; close its quotes")
        }
        self.words = words
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

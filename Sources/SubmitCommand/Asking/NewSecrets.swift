internal import Foundation
internal import Submit

/// The secrets of a destination that is being added.
struct NewSecrets {
    let type: SubmitterType
    private(set) var given: [String: String] = [:]

    init(_ type: SubmitterType) {
        self.type = type
    }

    private var keys: [SettingKey] { type.settings.filter { $0.kind == .secret } }

    /// Takes `KEY=VALUE` lines. Blanks around both are no part of them.
    ///
    /// - Throws: for a line that is none, without showing it, and for a key that is no secret of the type.
    mutating func read(line: () -> String?) throws(SubmitFailure) {
        var number = 0
        while let line = line() {
            number += 1
            let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty { continue }
            guard let equals = text.firstIndex(of: "=") else {
                throw .usage("Line \(number) of the secrets is not KEY=VALUE.")
            }
            let name = text[..<equals].trimmingCharacters(in: .whitespaces)
            guard keys.contains(where: { $0.name == name }) else {
                // What stands there may be a secret itself.
                let names = keys.map(\.name)
                throw .usage(
                    "Line \(number) of the secrets names none of \(type.name) (\(names.joined(separator: ", ")))"
                        + "\(NearestNames.hint(for: name, among: names)).")
            }
            given[name] = text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        }
    }

    /// Asks on the terminal for some of them; for all, where none are named.
    ///
    /// - Parameters:
    ///   - empty: what an empty line stands for.
    ///   - isEnough: whether what was given will do, so that no more is asked for.
    mutating func ask(
        for names: [String] = [], empty: String = "for none",
        until isEnough: ([String: String]) -> Bool = { _ in false }
    ) throws(SubmitFailure) {
        for key in keys where names.isEmpty || names.contains(key.name) {
            guard let typed = try HiddenInput.line("\(key.summary) (\(key.name), empty \(empty)): ") else { continue }
            if typed.isEmpty { continue }
            given[key.name] = String(decoding: typed, as: UTF8.self)
            if isEnough(given) { return }
        }
    }

    /// The secrets that a failure to make the destination speaks of.
    func wanted(by failure: SubmitFailure) -> [String] {
        let words = failure.message.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return keys.map(\.name).filter { name in words.contains { $0 == name } }
    }
}

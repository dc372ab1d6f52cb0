internal import Foundation
internal import Submit

/// What a person types to sign in.
struct TypedFields {
    /// From where.
    enum Input: Sendable, Hashable {
        /// Asked for, one after another; secrets are not shown.
        case terminal
        /// `KEY=VALUE` lines on standard input, or the only value there is to give.
        case lines
    }

    let fields: [LoginField]
    let name: String

    init(_ fields: [LoginField], at name: String) {
        self.fields = fields
        self.name = name
    }

    /// - Throws: for what is missing or nobody asked for, without showing it, and where nobody can be asked.
    func read(_ input: Input) throws(SubmitFailure) -> [String: String] {
        let values = try input == .lines ? values { readLine() } : asked()
        if let missing = fields.first(where: { values[$0.name]?.isEmpty != false }) {
            throw .usage("The login at “\(name)” needs \(missing.name) (\(missing.label)): nothing has changed.")
        }
        return values
    }

    private func asked() throws(SubmitFailure) -> [String: String] {
        guard isatty(STDIN_FILENO) == 1, HiddenInput.isThere else {
            throw .usage(
                "The login at “\(name)” asks for \(fields.map(\.name).joined(separator: ", ")): run it at a terminal, or "
                    + "give KEY=VALUE lines on standard input with --stdin.")
        }
        var values: [String: String] = [:]
        for field in fields {
            if field.isSecret {
                guard let typed = try HiddenInput.line("\(Printable.line(field.label)): ") else { break }
                values[field.name] = String(decoding: typed, as: UTF8.self)
            } else {
                Output.raw("\(Printable.line(field.label)): ")
                Output.flush()
                values[field.name] = readLine()?.trimmingCharacters(in: .whitespaces)
            }
        }
        return values
    }

    /// What lines of `KEY=VALUE` give.
    func values(line: () -> String?) throws(SubmitFailure) -> [String: String] {
        var values: [String: String] = [:]
        var number = 0
        while let line = line() {
            number += 1
            let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty { continue }
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = parts[0].trimmingCharacters(in: .whitespaces)
            if parts.count == 2, fields.contains(where: { $0.name == key }) {
                values[key] = parts[1].trimmingCharacters(in: .whitespaces)
            } else if fields.count == 1 {
                values[fields[0].name] = text
            } else {
                throw .usage(
                    "Line \(number) is not KEY=VALUE with one of \(fields.map(\.name).joined(separator: ", ")).")
            }
        }
        return values
    }
}

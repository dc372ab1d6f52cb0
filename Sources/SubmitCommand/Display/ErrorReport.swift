internal import Foundation
internal import Submit

/// What a verb could not do, in the one style there is: `submit: sentence` on standard error, and with `--json` an object
/// on standard output too.
enum ErrorReport {
    static let isJSON = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")

    static func tell(_ failure: SubmitFailure, about facts: [String: Any] = [:]) {
        tell(code: failure.code, failure.advised(at: facts["destination"] as? String), about: facts)
    }

    /// - Parameters:
    ///   - usage: lines on how the verb is used.
    ///   - facts: what the object says beside code and sentence.
    static func tell(code: String, _ sentence: String, usage: String = "", about facts: [String: Any] = [:]) {
        let sentence = KnownSecrets.redacted(sentence)
        if isJSON {
            JSONOutput.print(["event": "error", "code": code, "message": sentence].merging(facts) { $1 })
        }
        Output.trouble("submit: \(Printable.line(sentence))")
        if !usage.isEmpty { Output.trouble(usage) }
    }
}

extension ErrorReport {
    /// What should be known and stops nothing.
    static func warn(_ failure: SubmitFailure) { warn(code: failure.code, failure.advised()) }

    static func warn(code: String, _ sentence: String) {
        let sentence = KnownSecrets.redacted(sentence)
        if isJSON { JSONOutput.print(["event": "warning", "code": code, "message": sentence]) }
        Output.trouble("submit: \(Printable.line(sentence))")
    }
}

extension SubmitFailure {
    /// What was asked for makes no sense, though its form is right.
    static func usage(_ sentence: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: "usage", message: sentence)
    }
}

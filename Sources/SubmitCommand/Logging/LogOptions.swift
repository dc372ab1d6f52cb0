internal import ArgumentParser
internal import Foundation
internal import Logging
internal import Submit

/// Options of every verb: what of its work it writes down for whoever looks for a fault.
struct LogOptions: ParsableArguments {
    @Option(
        name: .customLong("log"),
        help: ArgumentHelp("Log decisions: trace, debug, info, notice, warning or error.", valueName: "level"))
    var level: LogLevel?

    @Option(
        name: .customLong("log-file"),
        help: ArgumentHelp("Append the log to this file instead of standard error.", valueName: "file"),
        completion: .file())
    var file: String?

    @Flag(help: "Log requests and answers, and what is said to other programs, too; without secrets.")
    var trace = false

    /// What to log and where, by these options and else by `SUBMIT_LOG`; `nil`: nothing.
    func choice(_ environment: [String: String]) throws(SubmitFailure) -> (level: Logger.Level, file: String?)? {
        let given = try Self.environmentChoice(environment[Self.variable] ?? "")
        let own: Logger.Level? = trace ? .trace : level.flatMap { Logger.Level(rawValue: $0.rawValue) }
        guard let level = own ?? given?.level ?? (file == nil ? nil : .info) else { return nil }
        return (level, file ?? given?.file)
    }

    /// `debug`, or `debug:/path/file`.
    static let variable = "SUBMIT_LOG"

    private static func environmentChoice(_ text: String) throws(SubmitFailure) -> (level: Logger.Level, file: String?)?
    {
        if text.isEmpty { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let word = LogLevel(rawValue: parts[0]), let level = Logger.Level(rawValue: word.rawValue) else {
            let words = LogLevel.allCases.map(\.rawValue)
            throw SubmitFailure.usage(
                "\(variable) must be one of \(words.joined(separator: ", ")), with “:” and a file behind it or without, and not "
                    + "“\(text)”\(NearestNames.hint(for: parts[0], among: words)).")
        }
        return (level, parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil)
    }
}

/// How much is logged: of each level all that is worse, too.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error
}

/// A verb that logs.
protocol LoggedCommand: ParsableCommand {
    var log: LogOptions { get }
}

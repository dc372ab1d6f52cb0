internal import Foundation
internal import Logging
internal import Submit
internal import SubmitConcurrency

/// The log of this process.
enum CommandLog {
    private static let open = Locked<LogFile?>(nil)

    /// From now on all that is logged goes where the options say, and else nowhere.
    ///
    /// - Throws: `log-unwritable` where that cannot be opened; nothing has begun then.
    static func begin(_ options: LogOptions, isJSON: Bool) throws(SubmitFailure) {
        guard let choice = try options.choice(ProcessInfo.processInfo.environment) else {
            return LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        }
        let file = try choice.file.map { path throws(SubmitFailure) in try LogFile(path) } ?? .standardError
        open.withLock { $0 = file }
        LoggingSystem.bootstrap { _ in LineLogHandler(logLevel: choice.level, isJSON: isJSON, file: file) }
    }

    /// The logger of whatever this process does.
    static var logger: Logger { Logger(label: "submit") }

    /// Its lines appear on the same terminal as the display.
    static var sharesTerminal: Bool { Terminal.isThere && open.withLock { $0?.isOnTerminal ?? false } }
}

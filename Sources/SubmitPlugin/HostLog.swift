internal import Logging
internal import Submit
internal import SubmitPlatform
internal import SubmitPluginProtocol

/// Hands what is logged in a program to its host, as `log` messages, where the host says in `SUBMIT_LOG` that it hears them.
struct HostLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let writer: LineWriter

    private init(_ level: Logger.Level, _ writer: LineWriter) {
        logLevel = level
        self.writer = writer
    }

    /// Silent where the host hears nothing.
    static func logger(_ writer: LineWriter) -> Logger {
        guard let word = getenv("SUBMIT_LOG"), let level = Logger.Level(rawValue: String(cString: word)) else {
            return .silent
        }
        return Logger(label: "submit") { _ in HostLog(level, writer) }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let words = facts.map { "\($0.key)=\($0.value)" }
        writer.write(.log(([event.message.description] + words).joined(separator: " ")))
    }
}

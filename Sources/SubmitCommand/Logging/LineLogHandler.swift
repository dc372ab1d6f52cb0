internal import Logging
internal import Submit

/// Writes each record as one line: time, level, message, and `key=value` for what is known besides; or as a JSON object.
///
/// What servers and files call themselves is in there: control characters are written out, and no known secret shows.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    let isJSON: Bool
    let file: LogFile

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }
        let message = KnownSecrets.redacted(event.message.description)
        file.write(
            isJSON ? LogLine.json(.now, event.level, message, facts) : LogLine.text(.now, event.level, message, facts))
    }
}

/// One record as a line.
enum LogLine {
    /// What it is about comes first.
    private static let first = ["batch", "submission", "destination", "attempt"]

    static func text(_ time: Timestamp, _ level: Logger.Level, _ message: String, _ facts: Logger.Metadata) -> String {
        let keys = first.filter { facts[$0] != nil } + facts.keys.filter { !first.contains($0) }.sorted()
        let words = keys.compactMap { key in facts[key].map { "\(key)=\(text($0))" } }
        return Printable.line(([JSONOutput.time(time), level.rawValue, message] + words).joined(separator: " "))
    }

    static func json(_ time: Timestamp, _ level: Logger.Level, _ message: String, _ facts: Logger.Metadata) -> String {
        var object = facts.mapValues(object)
        object["time"] = JSONOutput.time(time)
        object["level"] = level.rawValue
        object["message"] = message
        return JSONOutput.text(object)
    }

    private static func text(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .array(let values): "[\(values.map(text).joined(separator: ", "))]"
        case .dictionary(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
        case .string, .stringConvertible: quoted(KnownSecrets.redacted(value.description))
        }
    }

    /// In quotes where it would not be told apart from what comes next.
    private static func quoted(_ text: String) -> String {
        let isClear = text.unicodeScalars.allSatisfy { scalar in
            !" \"=,[]{}\\".unicodeScalars.contains(scalar) && !Character(scalar).isNewline
        }
        return isClear && !text.isEmpty ? text : "\"\(text.escaping(.ofBackslashes))\""
    }

    private static func object(_ value: Logger.MetadataValue) -> Any {
        switch value {
        case .array(let values): values.map { KnownSecrets.redacted($0.description) }
        case .dictionary(let values): values.mapValues(object)
        case .string, .stringConvertible: KnownSecrets.redacted(value.description)
        }
    }
}

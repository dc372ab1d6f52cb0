package import Logging

extension Logger {
    /// Says nothing, and costs next to nothing: what a library logs with where whoever embeds it gave it no logger.
    package static let silent = Logger(label: "submit") { _ in SwiftLogNoOpLogHandler() }

    /// The same logger for what is done at a destination outside of attempts.
    ///
    /// - Parameter verb: what is done, in a word: `check`, `login`, `audit`.
    package func doing(_ verb: String, at destination: String) -> Logger {
        // What nobody hears needs no metadata.
        guard logLevel < .critical else { return self }
        var logger = self
        logger[metadataKey: "destination"] = .string(destination)
        logger[metadataKey: "verb"] = .string(verb)
        return logger
    }
}

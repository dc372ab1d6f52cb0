internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

/// The lines of a conversation for whoever looks for a fault: cut at a bound, and without secrets and bytes of items.
enum ProtocolTrace {
    private static let longest = 2 << 10
    /// As many more are looked at, so that no secret is cut in two before it is found.
    private static let margin = 16 << 10

    /// What the program is told.
    static func said(_ message: HostMessage) -> String {
        switch message {
        case .answer(let question, .text): "answer to question \(question): a text"
        case .answer(let question, .bytes(let bytes)): "answer to question \(question): \(bytes.count) bytes"
        default: shown(message.line)
        }
    }

    /// What the program said.
    static func heard(_ message: SubmitterMessage, _ line: [UInt8]) -> String {
        switch message {
        // It may hold what was given at a login.
        case .done(let id, .login(.done)): "done \(id): signed in"
        case .question(let number, .checkpoint(let id, let text)):
            "question \(number) of \(id): keep a checkpoint of \(text?.utf8.count ?? 0) bytes"
        case .question(let number, .keepNote(let topic, let text)):
            "question \(number): note \(text?.utf8.count ?? 0) bytes on \(topic)"
        default: shown(line)
        }
    }

    static func shown(_ line: [UInt8]) -> String {
        let isCut = line.count > longest + margin
        let beginning = String(decoding: line.prefix(longest + margin), as: UTF8.self)
        let text = isCut ? KnownSecrets.redactedBeginning(of: beginning) : KnownSecrets.redacted(beginning)
        return isCut || text.utf8.count > longest ? "\(text.prefix(longest))… (\(line.count) bytes)" : text
    }
}

extension Conversation {
    /// Logs with what the request that a line belongs to was asked with; what belongs to none, as the only one that is open.
    func logger(of id: Int?) -> Logger {
        state.withLock { state in
            if let id, let open = state.open[id] { return open.logger }
            if state.open.count == 1, let open = state.open.first { return open.value.logger }
            var logger = state.logger
            if let name = state.settings?.destination { logger[metadataKey: "destination"] = .string(name) }
            return logger
        }
    }

    func trace(_ message: HostMessage, of id: Int?) {
        guard state.withLock({ $0.logger }).logLevel <= .trace else { return }
        logger(of: id).trace(
            "→ plug-in", metadata: ["program": .string(program.name), "line": .string(ProtocolTrace.said(message))])
    }

    func trace(_ message: SubmitterMessage, _ line: [UInt8]) {
        guard state.withLock({ $0.logger }).logLevel <= .trace else { return }
        logger(of: message.request).trace(
            "← plug-in",
            metadata: ["program": .string(program.name), "line": .string(ProtocolTrace.heard(message, line))])
    }
}

extension SubmitterMessage {
    /// The request that it speaks of.
    fileprivate var request: Int? {
        switch self {
        case .done(let id, _), .failed(let id, _), .unsupported(let id), .progress(let id, _, _): id
        case .question(_, .checkpoint(let id, _)), .question(_, .read(let id, _, _)), .question(_, .unchanged(let id)):
            id
        default: nil
        }
    }
}

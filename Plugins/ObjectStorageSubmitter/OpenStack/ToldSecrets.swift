internal import Submit
internal import SubmitConcurrency

/// The secrets that a server was told, so that its texts can be shown without them. Nothing that prints it shows one.
final class ToldSecrets: Sendable {
    private let secrets = Locked<[String]>([])

    /// How many are remembered: one sign-in's and its token, and those before that are still on their way.
    private static let most = 16

    func add(_ secret: String) {
        guard !secret.isEmpty else { return }
        secrets.withLock { secrets in
            secrets.removeAll { $0 == secret }
            secrets.append(secret)
            secrets.removeFirst(max(0, secrets.count - Self.most))
        }
    }

    /// A stranger's text, fit for a sentence: short, on one line, without the secrets.
    func quoted(_ text: String) -> String {
        // First the secrets, longer ones before: half of one would not be found.
        let known = secrets.withLock { $0 }.sorted { $0.utf8.count > $1.utf8.count }
        let redacted = known.reduce(text) { $0.replacing($1, with: "…") }
        let shown = redacted.unicodeScalars.prefix(200)
        return String(String.UnicodeScalarView(shown.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}

extension ToldSecrets: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}

internal import SubmitConcurrency

/// Every secret that this process knows, so that no text that leaves it shows one: one list and one redaction for all.
///
/// What is configured, typed, granted, renewed or sent as a credential is added where it comes in. Servers and programs
/// echo it; their texts go through ``redacted(_:)``, or ``ForeignText``, before they are cut, kept or shown.
public enum KnownSecrets {
    /// Shorter secrets, in bytes, are not looked for: they are part of many a word.
    public static let shortest = 4
    /// From this many characters on, a part of a secret is hidden as the whole is.
    public static let shortestPart = 12

    private static let index = Locked(SecretIndex())

    /// Makes a secret known. Safe to call again; one shorter than ``shortest`` is passed over.
    ///
    /// - Parameter isConfigured: it stays known. Others, such as tokens that are renewed for months, are forgotten when
    ///   256 newer ones, or 128 KiB of them, have come.
    public static func add(_ secret: String, isConfigured: Bool = false) {
        guard secret.utf8.count >= shortest else { return }
        index.withLock { $0.add(secret, isConfigured: isConfigured) }
    }

    /// Makes known what is kept among the secrets of a destination, by name; not what is no secret of it, such as the
    /// time when a token ends.
    public static func add(kept secrets: [String: String], isConfigured: Bool = false) {
        for (name, secret) in secrets where !companions.contains(name) { add(secret, isConfigured: isConfigured) }
    }

    private static let companions: Set = [
        "user", "client_id", "access_token_issued", "access_token_expires", "access_token_scopes",
    ]

    /// The text with `…` for each secret in it, and for each part of one from ``shortestPart`` characters, also where
    /// it is written in base64, hexadecimal digits, percent signs, or as JSON or XML escape it. Other text stays as it
    /// is.
    ///
    /// One of up to 7 letters and nothing else is hidden where it stands as a word, and not within another word. It
    /// compares bytes: characters that combine hide nothing. What two secrets share shows of neither.
    public static func redacted(_ text: String) -> String {
        if text.utf8.count < shortest { return text }
        guard let index = index.withLock({ $0.ready() }) else { return text }
        var text = text
        return text.withUTF8 { bytes in
            let finds = index.finds(in: bytes)
            if finds.isEmpty { return nil }
            var rest: [UInt8] = []
            rest.reserveCapacity(bytes.count)
            var done = 0
            for find in finds {
                rest += bytes[done..<find.lowerBound]
                rest += "…".utf8
                done = find.upperBound
            }
            rest += bytes[done...]
            return String(decoding: rest, as: UTF8.self)
        } ?? text
    }

    /// The same for the beginning of a longer text, without its last ``cutMargin`` characters.
    ///
    /// A cut can leave fewer characters of a secret than can be recognised.
    package static func redactedBeginning(of text: String) -> String {
        String(String.UnicodeScalarView(redacted(text).unicodeScalars.dropLast(cutMargin)))
    }

    /// The end of a longer output: whole lines, or the end of its only line without secrets.
    ///
    /// - Parameter most: bytes that are kept. An output that is no longer stays as it is.
    package static func end(of output: [UInt8], most: Int) -> [UInt8] {
        if output.count <= most { return output }
        let kept = output.suffix(most)
        if let line = kept.firstIndex(of: UInt8(ascii: "\n")), line + 1 < kept.endIndex {
            return Array(kept[(line + 1)...])
        }
        let text = redacted(String(decoding: kept, as: UTF8.self))
        return Array(String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(cutMargin))).utf8)
    }

    /// Fewer than ``shortestPart`` characters take no more than these, also if they are escaped three times.
    private static let cutMargin = 512

    /// Whether no secret of ``shortestPart`` characters or more stands whole in a name that cannot be changed: something is
    /// called so.
    ///
    /// Shorter secrets and parts of longer ones are not looked for: they may be what people call a folder, or what the
    /// password of an account has of its name.
    public static func areAbsent(fromName name: String) -> Bool {
        guard let index = index.withLock({ $0.ready() }) else { return true }
        var name = name
        return name.withUTF8 { index.finds(in: $0, shorter: false).isEmpty || !index.isWhole(in: $0) }
    }
}

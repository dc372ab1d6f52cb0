internal import Submit

/// Why a source gave no access key: all of the sentence but whose it is.
struct AccessKeyFailure: Error, Hashable {
    let remedy: Remedy
    /// How “The destination “…” has no access key: …” goes on, up to its full stop.
    let reason: String

    /// The task was cancelled.
    static let cancelled = AccessKeyFailure(remedy: .cancelled, reason: "")

    /// Someone has to set it up otherwise.
    static func misconfigured(_ reason: String) -> AccessKeyFailure {
        AccessKeyFailure(remedy: .hold(.misconfigured, after: nil), reason: reason)
    }

    /// It may give one later.
    static func unavailable(_ reason: String) -> AccessKeyFailure {
        AccessKeyFailure(remedy: .hold(.unreachable, after: nil), reason: reason)
    }

    /// Someone has to log in.
    static func loggedOut(_ reason: String) -> AccessKeyFailure {
        AccessKeyFailure(remedy: .renewCredentials, reason: reason)
    }

    func submitFailure(destination: String) -> SubmitFailure {
        if remedy == .cancelled { return .cancelled }
        return SubmitFailure(
            remedy, code: "no-access-key", message: "The destination “\(destination)” has no access key: \(reason).")
    }
}

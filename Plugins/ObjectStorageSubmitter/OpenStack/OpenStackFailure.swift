internal import Submit

/// Why there is no token: all of the sentence but whose it is.
struct OpenStackFailure: Error, Hashable {
    let remedy: Remedy
    let code: String
    /// How “The destination “…” cannot sign in to OpenStack: …” goes on, up to its full stop.
    let reason: String

    static let cancelled = OpenStackFailure(remedy: .cancelled, code: "cancelled", reason: "")

    /// Someone has to set it up otherwise.
    static func misconfigured(_ reason: String, code: String = "configuration") -> OpenStackFailure {
        OpenStackFailure(remedy: .hold(.misconfigured, after: nil), code: code, reason: reason)
    }

    func submitFailure(destination: String) -> SubmitFailure {
        if remedy == .cancelled { return .cancelled }
        return SubmitFailure(
            remedy, code: code, message: "The destination “\(destination)” cannot sign in to OpenStack: \(reason).")
    }
}

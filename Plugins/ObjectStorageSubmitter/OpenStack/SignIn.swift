internal import SubmitHTTP

/// How to come by a token: who signs in, where, and which of the object stores there is meant.
struct SignIn: Sendable, Hashable {
    let identity: KeystoneIdentity
    /// Of Identity v3 it ends in `/v3`. Nothing is asked for an issued token.
    let authURL: Endpoint?
    let region: String?
    let interface: Interface
    /// Instead of what the service says.
    let storageURL: Endpoint?
    /// http to other computers is allowed.
    let allowsPlain: Bool
    /// The authority's file that the environment or clouds.yaml names. The transport has settings of its own; this is
    /// for the sentence about a server that is not trusted.
    let certificateAuthority: String?

    /// Which of an endpoint's addresses.
    enum Interface: String, Sendable, Hashable, CaseIterable {
        case `public`, `internal`, admin

        /// `public`, and `publicURL` as older tools have it.
        init?(text: String) {
            self.init(rawValue: text.hasSuffix("URL") ? String(text.dropLast(3)) : text)
        }
    }
}

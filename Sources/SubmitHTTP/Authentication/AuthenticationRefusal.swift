/// Why credentials were not sent although the server wants them.
public enum AuthenticationRefusal: Sendable, Hashable {
    /// The server takes the password by Basic only, which shows it to whoever reads along, and that is not allowed
    /// here.
    case basicNotAllowed
    /// A bearer token shows itself just as well.
    case bearerNotAllowed
    /// Basic ends the user's name at its first colon (RFC 7617, section 2), and this name has one.
    case colonInUser

    /// What happened, as the beginning of a sentence; and what to do, as its end.
    var words: (what: String, advice: String) {
        switch self {
        case .basicNotAllowed:
            ("takes the password only unprotected, and the connection is not encrypted", "use https")
        case .bearerNotAllowed: ("would get the token over a connection that is not encrypted", "use https")
        case .colonInUser:
            ("takes no user name with a colon in it", "correct the user name of the destination")
        }
    }
}

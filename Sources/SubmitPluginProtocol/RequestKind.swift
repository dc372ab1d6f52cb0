/// What the host can ask a submitter to do, by the name of its message.
public enum RequestKind: String, Sendable, Hashable, CaseIterable {
    case hello, configure, check, submit, discard, presence, albums, createAlbum, link, leftovers, removeLeftover
    case remove, removeAlbum, beginLogin, pollLogin, logout
}

extension HostRequest {
    public var kind: RequestKind {
        switch self {
        case .hello: .hello
        case .configure: .configure
        case .check: .check
        case .submit: .submit
        case .discard: .discard
        case .presence: .presence
        case .albums: .albums
        case .createAlbum: .createAlbum
        case .link: .link
        case .leftovers: .leftovers
        case .removeLeftover: .removeLeftover
        case .remove: .remove
        case .removeAlbum: .removeAlbum
        case .beginLogin: .beginLogin
        case .pollLogin: .pollLogin
        case .logout: .logout
        }
    }
}

internal import HTTPTypes
internal import SubmitReceiving
internal import SubmitStore

/// How a request's sender stands with us.
enum SessionStanding: Sendable, CaseIterable {
    /// It shows no token.
    case stranger
    /// It shows one that is none of ours, or no longer.
    case unknown
    case expired, revoked, declined, unconfirmed, open

    init(_ session: ReceivingSession) {
        self =
            switch session.state {
            case .unconfirmed: session.isExpired ? .expired : .unconfirmed
            case .open: session.isExpired ? .expired : .open
            case .declined: .declined
            case .ended: .revoked
            }
    }

    /// `nil`: it is none of the session's, such as a journal that cannot be read.
    init?(_ refusal: ReceivingRefusal) {
        switch refusal.kind {
        case .unknown: self = .unknown
        case .expired: self = .expired
        case .revoked: self = .revoked
        case .declined: self = .declined
        default: return nil
        }
    }

    /// Why this one may not ask; `nil` if it may.
    func refusal(as role: RequestRole) -> WebRefusal? {
        switch (role, self) {
        case (.anyone, _), (.guest, .unconfirmed), (.guest, .open), (.sender, .open): nil
        case (_, .stranger), (_, .unknown):
            WebRefusal(
                .unauthorized, "no-session",
                "This device has not been let in, or no longer: scan the code at the computer again.")
        case (_, .expired):
            WebRefusal(.gone, "expired", "The time to send is over: scan a new code at the computer.")
        case (_, .revoked):
            WebRefusal(.gone, "revoked", "The computer has ended this: what has arrived stays there.")
        case (_, .declined):
            WebRefusal(.forbidden, "declined", "The computer said no to this device.")
        case (.sender, .unconfirmed):
            WebRefusal(.forbidden, "unconfirmed", "Compare the words with those at the computer, and accept there.")
        }
    }
}

/// Why something is not done, as HTTP says it.
struct WebRefusal: Error, Sendable {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    var fields: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, fields: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields
    }
}

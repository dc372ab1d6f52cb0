internal import ArgumentParser
internal import Submit
internal import SubmitReceiving
internal import SubmitStore

/// `submit receive list`
struct ReceiveList: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the invites there are, and the devices that came in.")

    @Flag(help: "One JSON object a line instead of text.") var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let reception = Reception(try Session(isReading: true).manager)
        let (invites, held) = try await received {
            () async throws(ReceivingRefusal) in (try await reception.invites(), try await reception.heldBytes())
        }
        for invite in invites {
            if json { JSONOutput.print(Self.object(invite)) } else { Self.lines(invite).forEach(Output.line) }
        }
        if json { return }
        if invites.isEmpty { Output.line("Nobody is invited: `submit receive --to DESTINATION` shows a code.") }
        if held.unfinished + held.arrived > 0 {
            Output.line(
                "Kept here: \(Printable.bytes(held.unfinished)) of unfinished files, and \(Printable.bytes(held.arrived)) until destinations hold verified copies."
            )
        }
    }

    private static func state(_ invite: InviteSummary) -> String {
        if invite.isLocked { return "locked" }
        return invite.record.state == .open && invite.record.isExpired ? "expired" : invite.record.state.name
    }

    private static func lines(_ invite: InviteSummary) -> [String] {
        let record = invite.record
        let whom = invite.terms.destinations.joined(separator: ", ")
        let head = "\(record.id) \(state(invite)) for \(whom): \(Printable.count(record.files, "file"))"
        return [Printable.line("\(head), \(Printable.bytes(record.bytes))")]
            + invite.sessions.map { session in
                Printable.line("  \(session.device.isEmpty ? "a device" : session.device): \(Self.state(session))")
            }
    }

    private static func state(_ session: ReceivingSession) -> String {
        if session.isExpired, session.state == .open { return "expired" }
        return switch session.state {
        case .unconfirmed: "waits to be confirmed"
        case .open: "may send"
        case .declined: "declined"
        case .ended: "ended"
        }
    }

    private static func object(_ invite: InviteSummary) -> [String: Any] {
        [
            "invite": invite.record.id.rawValue, "state": state(invite), "destinations": invite.terms.destinations,
            "created": JSONOutput.time(invite.record.created), "expires": JSONOutput.time(invite.record.expires),
            "files": invite.record.files, "bytes": invite.record.bytes, "wrong_secrets": invite.record.wrongSecrets,
            "sessions": invite.sessions.map { session -> [String: Any] in
                ["session": session.id.rawValue, "device": session.device, "state": state(session)]
            },
        ]
    }
}

/// `submit receive revoke INVITE`
struct ReceiveRevoke: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End an invite and whoever came in by it; what has arrived stays.")

    @Argument(help: "The invite, as `submit receive list` shows it.") var invite: String

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let reception = Reception(try Session().manager)
        let invite = InviteID(rawValue: invite)
        try await received { () async throws(ReceivingRefusal) in try await reception.revoke(invite) }
        Output.line("Invite \(Printable.line(self.invite)) has ended.")
    }
}

/// Asks the reception, whose refusals are failures of the command.
private func received<Value>(
    _ body: () async throws(ReceivingRefusal) -> Value
) async throws(SubmitFailure) -> Value {
    do throws(ReceivingRefusal) {
        return try await body()
    } catch {
        throw SubmitFailure(.giveUp, code: error.code, message: error.message)
    }
}

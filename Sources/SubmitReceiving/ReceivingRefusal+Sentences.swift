internal import Submit
internal import SubmitPlatform

extension ReceivingRefusal {
    /// A name in a sentence: nothing in it moves a cursor, or looks like something else.
    static func shown(_ name: String) -> String { "“\(UnseenCharacters.escaped(name))”" }

    static func size(_ bytes: Int64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var (number, unit) = (Double(bytes), 0)
        while number >= 1000, unit < units.count - 1 { (number, unit) = (number / 1000, unit + 1) }
        let text = unit == 0 || number >= 100 ? "\(Int64(number))" : "\((number * 10).rounded(.down) / 10)"
        return "\(text) \(units[unit])"
    }

    // MARK: Coming in

    static let wrongSecret = ReceivingRefusal(
        .unknown, code: "wrong-secret",
        message: "This link is not the one that was shown: scan the code again.")
    static let expiredInvite = ReceivingRefusal(
        .expired, code: "invite-expired",
        message: "The time to use this link is over: ask for a new code.")
    static let revokedInvite = ReceivingRefusal(
        .revoked, code: "invite-revoked", message: "This link was withdrawn by its owner: ask for a new code.")
    static let claimedInvite = ReceivingRefusal(
        .claimed, code: "invite-claimed",
        message:
            "Another device has used this link, which lets only one in: ask for a new code, and say that someone has it."
    )
    static let spentInvite = ReceivingRefusal(
        .claimed, code: "invite-spent", message: "All that this link allows has arrived: ask for a new code.")
    static let lockedInvite = ReceivingRefusal(
        .locked, code: "invite-locked",
        message: "This link was tried with wrong secrets too often and lets nobody in any more: ask for a new code.")

    static func tooOften(_ wait: Duration) -> ReceivingRefusal {
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        return ReceivingRefusal(
            .tooOften(after: wait), code: "too-often",
            message: "Too many wrong links came from this device: wait \(seconds) s, and scan the code again.")
    }

    // MARK: Sessions

    static let unknownSession = ReceivingRefusal(
        .unknown, code: "session-unknown", message: "This device is not let in: scan the code again.")
    static let expiredSession = ReceivingRefusal(
        .expired, code: "session-expired",
        message: "The time to send from this device is over, and what arrived stays: ask for a new code to send more.")
    static let endedSession = ReceivingRefusal(
        .revoked, code: "session-ended",
        message: "Sending from this device was ended, and what arrived stays: ask for a new code to send more.")
    static let unconfirmedSession = ReceivingRefusal(
        .unconfirmed, code: "session-unconfirmed",
        message: "The owner has not let this device in yet: compare the words on both screens.")
    static let declinedSession = ReceivingRefusal(
        .declined, code: "session-declined",
        message: "The owner did not let this device in: ask, and scan the code again.")

    // MARK: Files

    static let unknownFile = ReceivingRefusal(
        .unknown, code: "file-unknown", message: "This upload is not known here: send the photo from its beginning.")

    static func ended(_ name: String, _ state: String) -> ReceivingRefusal {
        switch state {
        case "expired":
            ReceivingRefusal(
                .expired, code: "file-expired",
                message: "\(shown(name)) was not finished in time, and what had come is gone: send it again.")
        default:
            ReceivingRefusal(
                .unknown, code: "file-cancelled",
                message: "\(shown(name)) was cancelled: send it again if it is wanted.")
        }
    }

    static func conflict(_ name: String, at offset: Int64) -> ReceivingRefusal {
        ReceivingRefusal(
            .conflict(offset: offset), code: "offset",
            message: "\(shown(name)) stands at byte \(offset) here: go on from there.")
    }

    static func missing(_ name: String, offset: Int64, length: Int64) -> ReceivingRefusal {
        ReceivingRefusal(
            .conflict(offset: offset), code: "incomplete",
            message: "\(shown(name)) is not whole yet (\(offset) of \(length) bytes): send the rest.")
    }

    static func busy(_ name: String) -> ReceivingRefusal {
        ReceivingRefusal(
            .busy, code: "busy", message: "\(shown(name)) is being sent by another connection: wait for it, or end it.")
    }

    static func longer(_ name: String, than length: Int64) -> ReceivingRefusal {
        ReceivingRefusal(
            .tooLarge, code: "too-long",
            message:
                "\(shown(name)) has more bytes than the \(length) that were told: send it again from its beginning.")
    }

    static func tooLarge(_ name: String, most: Int64) -> ReceivingRefusal {
        ReceivingRefusal(
            .tooLarge, code: "file-too-large",
            message: "\(shown(name)) is larger than what this link takes (\(size(most)) a file): send a smaller one.")
    }

    static func tooManyBytes(_ name: String, left: Int64) -> ReceivingRefusal {
        ReceivingRefusal(
            .tooLarge, code: "invite-bytes",
            message:
                "\(shown(name)) is more than this link still takes (\(size(left))): ask for a new code to send more.")
    }

    static func tooManyFiles(_ name: String, most: Int) -> ReceivingRefusal {
        ReceivingRefusal(
            .tooMany, code: "invite-files",
            message:
                "\(shown(name)) is one more than the \(most) files that this link takes: ask for a new code to send it."
        )
    }

    static func tooManyOpen(_ name: String) -> ReceivingRefusal {
        ReceivingRefusal(
            .tooMany, code: "too-many-unfinished",
            message:
                "\(shown(name)) has to wait: too many files of this device are unfinished; finish some of them first.")
    }

    static func tooManyOffered(_ count: Int, most: Int) -> ReceivingRefusal {
        ReceivingRefusal(
            .tooMany, code: "too-many-offered",
            message: "\(count) files are more than can be offered at once: offer at most \(most).")
    }

    static func full(_ name: String, length: Int64?) -> ReceivingRefusal {
        let needed = length.map { " for its \(size($0))" } ?? ""
        return ReceivingRefusal(
            .full, code: "disk-full",
            message:
                "There is no room\(needed) on the computer that receives, so \(shown(name)) was not taken: free space there, "
                + "and it goes on.")
    }

    static func empty(_ name: String) -> ReceivingRefusal {
        ReceivingRefusal(
            .unwanted, code: "empty", message: "\(shown(name)) is empty and was not taken: look at it on the device.")
    }

    static func wrongChecksum(_ name: String, offset: Int64) -> ReceivingRefusal {
        ReceivingRefusal(
            .checksum(offset: offset), code: "checksum",
            message: "A piece of \(shown(name)) came damaged and was dropped: send it again from byte \(offset).")
    }

    static func wrongDigest(_ name: String) -> ReceivingRefusal {
        ReceivingRefusal(
            .checksum(offset: 0), code: "digest",
            message: "\(shown(name)) did not come as it is on the device, and was dropped: send it again.")
    }

    static func unwanted(_ name: String, _ wanted: String) -> ReceivingRefusal {
        ReceivingRefusal(
            .unwanted, code: "kind", message: "\(shown(name)) was not taken: this link takes \(wanted) only.")
    }

    static func brokenOff(_ name: String, at offset: Int64) -> ReceivingRefusal {
        ReceivingRefusal(
            .brokenOff(offset: offset), code: "broken-off",
            message: "The connection broke while \(shown(name)) was sent: go on from byte \(offset).")
    }

    // MARK: None of the sender's doing

    static func unavailable(_ failure: SubmitFailure) -> ReceivingRefusal {
        var refusal = ReceivingRefusal(
            .unavailable, code: failure.code,
            message: "The computer that receives cannot write down what comes: its owner has to look, then try again.")
        refusal.cause = failure
        return refusal
    }

    static func disk(_ name: String, _ error: CInt, length: Int64? = nil) -> ReceivingRefusal {
        if [ENOSPC, EDQUOT, EFBIG].contains(error) { return full(name, length: length) }
        var refusal = ReceivingRefusal(
            .unavailable, code: "disk",
            message:
                "\(shown(name)) could not be written on the computer that receives: its owner has to look, then try again."
        )
        refusal.cause = SubmitFailure(
            .retry(after: nil), code: "disk",
            message:
                "Writing what others send failed (\(String(cString: strerror(error)))): look at the disk of the journal."
        )
        return refusal
    }
}

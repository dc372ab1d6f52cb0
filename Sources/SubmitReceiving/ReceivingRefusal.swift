package import Submit

/// Why something was not done for a sender: one sentence that may be shown to him, and what a program does about it.
///
/// No sentence holds a secret, a path of ours or anything that a terminal obeys.
package struct ReceivingRefusal: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// There is no such invite, session or file, or the secret is another one.
        case unknown
        /// It was there, and its time is over.
        case expired
        /// Its owner ended it.
        case revoked
        /// Another device has it.
        case claimed
        /// Too many wrong secrets: the invite lets nobody in any more.
        case locked
        /// Too often: again after this time.
        case tooOften(after: Duration)
        /// Its owner has not compared the words yet, or said no.
        case unconfirmed, declined
        /// The file stands at another offset, and nothing was changed.
        case conflict(offset: Int64)
        /// Somebody else writes this file at this moment.
        case busy
        /// More bytes than it is to have, or than are allowed.
        case tooLarge
        /// More files, or entries, than are allowed.
        case tooMany
        /// There is no room on the disk.
        case full
        /// What came is not what its checksum says. The offset is where it was before, or zero where the whole is meant.
        case checksum(offset: Int64)
        /// It is not of a kind that is taken, or of none, or its name or its length is none.
        case unwanted
        /// The sender broke off: what came is kept, up to this offset.
        case brokenOff(offset: Int64)
        /// It is none of the sender's doing: a disk, or the journal. Worth another try.
        case unavailable
    }

    package var kind: Kind
    /// A stable word for programs: lower case, `-` between words.
    package var code: String
    /// One sentence: what happened, to which photo, and what to do.
    package var message: String
    /// What went wrong on our side, in a sentence for the owner's log; `nil` where nothing did.
    package var cause: SubmitFailure?

    package init(_ kind: Kind, code: String, message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }
}

extension ReceivingRefusal: CustomStringConvertible {
    package var description: String { message }
}

package import Submit
package import SystemPackage

/// Which incoming file: 32 hexadecimal digits of our own, by which its bytes are called on the disk, too.
package struct IncomingFileID: RawRepresentable, Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// A file that somebody sends, or has sent.
package struct IncomingFile: Sendable, Hashable {
    package enum State: Int, Sendable, Hashable, CaseIterable {
        /// Bytes are missing, or nobody looked at them yet.
        case receiving = 0
        /// All bytes are there and are what was promised; it is being accepted.
        case whole = 1
        /// It is accepted: what is to be sent of it is written down.
        case arrived = 2
        /// It was not taken, and its bytes are gone; the sentence says why.
        case refused = 3
        /// Its sender, or its owner, wanted it no more.
        case cancelled = 4
        /// Nothing came of it for too long.
        case expired = 5

        /// The word programs see.
        package var name: String {
            switch self {
            case .receiving: "receiving"
            case .whole: "whole"
            case .arrived: "arrived"
            case .refused: "refused"
            case .cancelled: "cancelled"
            case .expired: "expired"
            }
        }

        /// More may come of it.
        package var isOpen: Bool { self == .receiving || self == .whole }
    }

    package var id: IncomingFileID
    package var session: SessionID
    package var invite: InviteID
    /// Made fit to be shown, and to be a file's name.
    package var name: String
    /// The folder that it was in, as `outer/inner`, made fit likewise; `nil` for none.
    package var folder: String?
    /// All its bytes; `nil` where nobody knows before the end.
    package var length: Int64?
    /// What is on disk for good.
    package var offset: Int64
    /// The media type that its sender told; nothing goes by it.
    package var toldType: String?
    /// When it was last changed, as its sender told.
    package var modified: Timestamp?
    /// The SHA-256 that its sender promised.
    package var promised: [UInt8]?
    package var expires: Timestamp
    package var state: State
    /// What it became a part of, and under which key: its own id. `nil` before it has arrived.
    package var batch: BatchID?
    /// Where its bytes lie instead of the private folder; `nil`: there.
    package var kept: FilePath?
    /// The SHA-256 of what arrived.
    package var digest: [UInt8]?
    /// Why it was not taken.
    package var code: String?
    package var sentence: String?

    package init(
        id: IncomingFileID, session: SessionID, invite: InviteID, name: String, folder: String?, length: Int64?,
        offset: Int64, toldType: String?, modified: Timestamp?, promised: [UInt8]?, expires: Timestamp, state: State,
        batch: BatchID? = nil, kept: FilePath? = nil, digest: [UInt8]? = nil, code: String? = nil,
        sentence: String? = nil
    ) {
        self.id = id
        self.session = session
        self.invite = invite
        self.name = name
        self.folder = folder
        self.length = length
        self.offset = offset
        self.toldType = toldType
        self.modified = modified
        self.promised = promised
        self.expires = expires
        self.state = state
        self.batch = batch
        self.kept = kept
        self.digest = digest
        self.code = code
        self.sentence = sentence
    }
}

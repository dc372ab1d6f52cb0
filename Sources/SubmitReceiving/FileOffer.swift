package import Submit

/// A digest of some bytes, as their sender promised it.
package struct PromisedDigest: Sendable, Hashable {
    /// `.sha1` or `.sha256`, or another one that is known.
    package let algorithm: DigestAlgorithm
    package let bytes: [UInt8]

    package init(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }
}

/// What a sender tells of a file before it comes. All of it is a stranger's.
package struct FileOffer: Sendable {
    /// As it came: it may hold folders, in either manner, and anything else.
    package var name: String
    /// Folders besides; `nil` for none.
    package var folder: String?
    /// `nil` where the sender does not know, as with forms: see ``Reception/finish(_:session:)``.
    package var length: Int64?
    package var sha256: [UInt8]?
    package var modified: Timestamp?
    package var type: String?

    package init(
        name: String, folder: String? = nil, length: Int64?, sha256: [UInt8]? = nil, modified: Timestamp? = nil,
        type: String? = nil
    ) {
        self.name = name
        self.folder = folder
        self.length = length
        self.sha256 = sha256
        self.modified = modified
        self.type = type
    }
}

/// What becomes of a file that is offered.
package enum OfferAnswer: Sendable, Hashable {
    /// The same bytes are done at every destination of the invite: nothing needs to be sent.
    case have
    case want
    case refuse(ReceivingRefusal)
}

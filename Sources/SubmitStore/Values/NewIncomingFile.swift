package import Submit

/// A file that is about to come, to write down.
package struct NewIncomingFile: Sendable {
    package var id: IncomingFileID
    package var session: SessionID
    package var name: String
    package var folder: String?
    package var length: Int64?
    package var toldType: String?
    package var modified: Timestamp?
    package var promised: [UInt8]?
    /// Where all bytes are on disk already: their SHA-256.
    package var whole: [UInt8]?
    /// After how long it goes where nothing more comes.
    package var life: Duration
    /// What its invite allows in all; `nil`: any number.
    package var mostFiles: Int?
    package var mostBytes: Int64?
    /// So many of its session may be open at once.
    package var mostOpen: Int

    package init(
        id: IncomingFileID, session: SessionID, name: String, folder: String?, length: Int64?, toldType: String?,
        modified: Timestamp?, promised: [UInt8]?, life: Duration, mostFiles: Int?, mostBytes: Int64?, mostOpen: Int
    ) {
        self.id = id
        self.session = session
        self.name = name
        self.folder = folder
        self.length = length
        self.toldType = toldType
        self.modified = modified
        self.promised = promised
        self.life = life
        self.mostFiles = mostFiles
        self.mostBytes = mostBytes
        self.mostOpen = mostOpen
    }
}

/// What came of beginning a file.
package enum BegunFile: Sendable, Hashable {
    case begun(IncomingFile)
    /// The session is not open, or not any more.
    case closed
    case tooManyFiles
    /// So many bytes are allowed yet.
    case tooManyBytes(left: Int64)
    case tooManyOpen
}

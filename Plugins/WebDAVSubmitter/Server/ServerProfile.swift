internal import FoundationEssentials
internal import Submit

/// What was found out about a server, and is known again in the next process until it is old.
struct ServerProfile: Sendable, Hashable, Codable {
    enum Vendor: String, Sendable, Codable, CaseIterable {
        case nextcloud, ownCloud, infiniteScale, sabreDAV, apache, nginx, lighttpd, synology, rclone, unknown
    }

    /// Who it says it is. Nothing is done because of it that was not found out; it is told to people.
    var vendor = Vendor.unknown
    /// The root of what can be used: percent-encoded, from the server's root, without a slash at its end.
    var root = ""
    /// The account's id, which need not be the name that signs in.
    var account: String?
    /// What `DAV` lists (RFC 4918, section 10.1).
    var classes: Set<String> = []
    /// It answers PROPFIND.
    var lists = true
    /// Which of its answers tell how large a file is.
    var sizes = SizeSource.anyWay
    /// It moves resources.
    var moves = false
    /// It refuses to move anything for this account.
    var mayNotMove = false
    /// It moves nothing over another resource when told so (RFC 4918, section 10.6).
    var sparesOthers = false
    /// A file has the same ETag after it was moved.
    var movesKeepETags = false
    /// No two files have the same ETag, also where their content and their dates are the same.
    var etagsTellFiles = false
    /// It tells which file something is, and says the same after that was moved (`oc:fileid`).
    var hasFileIDs = false
    /// It moves something over another resource only where that has the ETag which it is told (RFC 4918, section 10.4).
    var heedsIf = false
    /// It says yes to moving something into a collection that is not there, and it is gone.
    var movesNowhere = false
    /// It stores nothing over another resource when told so (RFC 9110, section 13.1.2).
    var honoursIfNoneMatch = false
    /// How bytes can be added to a resource.
    var partial: PartialWrite?
    /// How a resource gets its date.
    var dating: Dating?
    /// It answers an upload with the SHA-256 of what it stored, when asked with `X-Hash`.
    var answersHash = false
    /// It computes the SHA-256 of what it holds when asked to.
    var computesDigests = false
    /// What it does with the digest that an upload brings in `OC-Checksum`.
    var checksum: ChecksumUse?
    /// Its ETags are the MD5s of what resources hold.
    var etagsAreMD5 = false
    /// It keeps properties that it does not know (RFC 4918, section 4).
    var keepsProperties = false
    /// Names that differ only by case are one to it.
    var foldsCase = false
    /// Names that differ only by their Unicode form are one to it.
    var normalises = false
    /// It tells how much room is left (RFC 4331).
    var tellsQuota = false
    /// It makes collections where items go.
    var makesCollections = false
    /// It says that it made a collection only where none was: some say so of one that is there (RFC 4918, section 9.3.1).
    var tellsWhatItMade = false
    /// Nobody changes anything there without a lock.
    var demandsLocks = false
    /// It takes names that begin with a dot, and lists them.
    var takesHidden = true
    var names = DAVNameRules()
    /// The protocol it has for large files.
    var upload: UploadProtocol?
    /// When it was found out.
    var found = Timestamp(nanoseconds: 0)

    enum SizeSource: String, Sendable, Codable {
        case anyWay
        /// PROPFIND: HEAD says something else, as ASGIWebDAV's 0.
        case listings
        /// HEAD: PROPFIND says something else, or nothing.
        case heads
    }

    enum PartialWrite: String, Sendable, Codable {
        /// PUT with `Content-Range`, as Apache's mod_dav takes it.
        case contentRange
        /// PATCH, as SabreDAV's plugin takes it (https://sabre.io/dav/http-patch/).
        case patch
    }

    enum Dating: String, Sendable, Codable {
        /// `X-OC-Mtime` at an upload.
        case ocMtime
        /// `Date` at an upload, as nginx takes it.
        case date
        /// The property `{DAV:}getlastmodified`, set afterwards.
        case property
    }

    enum ChecksumUse: String, Sendable, Codable {
        /// It refuses what does not fit.
        case verified
        /// It hands it out again.
        case echoed
    }

    enum UploadProtocol: Sendable, Hashable, Codable {
        /// Numbered pieces in a collection of their own that is moved to its place: Nextcloud's version 2, and ownCloud's.
        ///
        /// - Parameter collection: where uploads lie, as ``root``.
        case pieces(collection: String)
        /// tus 1.0.0 (https://tus.io/protocols/resumable-upload).
        case tus(TusOffer)
    }
}

extension ServerProfile {
    /// ``root``.
    var rootPath: DAVPath {
        var path = DAVPath(href: root.isEmpty ? "/" : root) ?? .root
        path.isCollection = true
        return path
    }

    /// It lists files with their sizes.
    var listsSizes: Bool { lists && sizes != .heads }

    /// The note that a destination keeps; `nil` where there is none, or none that is young enough.
    init?(_ note: [UInt8]?, now: Timestamp) {
        guard let note, let profile = try? JSONDecoder().decode(Self.self, from: Data(note)),
            (0..<Self.life).contains(now.seconds - profile.found.seconds)
        else { return nil }
        self = profile
    }

    var note: [UInt8]? { (try? JSONEncoder().encode(self)).map(Array.init) }

    /// How long a server is taken to be as it was: a week, in seconds.
    static let life: Int64 = 7 * 24 * 60 * 60
}

internal import Submit
internal import SubmitHTTP

/// How a server takes uploads by tus 1.0.0 (https://tus.io/protocols/resumable-upload).
struct TusOffer: Sendable, Hashable, Codable {
    /// Where uploads are begun, percent-encoded, from the server's root; `nil` for the collection that an item goes into.
    var creation: String?
    /// Bytes of the largest upload; `nil` without limit.
    var largest: Int64?
    /// Bytes of the largest piece that it wants; `nil` without limit.
    var largestPiece: Int64?
    /// The digest by which it checks each piece. Until it is tried, the one by which it says that it does.
    var pieceDigest: DigestAlgorithm?
    /// It takes no upload whose SHA-1 is not the one in its metadata, as reva does.
    var checksWhole = false

    init(creation: String? = nil) {
        self.creation = creation
    }

    /// What an answer on OPTIONS says; `nil` where uploads cannot be begun.
    init?(_ options: HTTPResponse) {
        let versions = options["Tus-Version"] ?? options["Tus-Resumable"] ?? ""
        let extensions = Self.words(options["Tus-Extension"])
        guard Self.words(versions).contains(Tus.version), extensions.contains("creation") else { return nil }
        largest = options["Tus-Max-Size"].flatMap { Tus.count($0) }
        if extensions.contains("checksum") {
            // SHA-1 is what all must have that check anything.
            let algorithms = Self.words(options["Tus-Checksum-Algorithm"] ?? "sha1")
            pieceDigest = [.sha256, .sha1, .md5].first { algorithms.contains($0.rawValue) }
        }
    }

    private static func words(_ list: String?) -> Set<String> {
        Set((list ?? "").lowercased().split { $0 == "," || $0 == " " }.map(String.init))
    }
}

internal import Submit

/// Acme, as the submitter needs it: fill the holes with its own calls.
///
/// Nothing here waits or tries again: a call that fails throws a ``SubmitFailure``, and the engine acts on its remedy.
/// For HTTP, take an `any HTTPTransport` of `SubmitHTTP` in place of the stand-in.
struct AcmeService: Sendable {
    let standIn: StandIn

    /// Bytes that are sent at once, and sent again after a break.
    static let partSize: Int64 = 256 << 10

    // HOLE 2 of 6: can Acme be used as configured? Leave nothing there.
    // What its errors mean is decided in one place, as in `StandIn.failure`. Nothing is reachable: `.put on hold(.unreachable)`;
    // it refuses the token: `.renewCredentials`; no room: `.put on hold(.full)`; too many requests: `.put on hold(.throttled)`, with
    // the time it names; it is in trouble: `.retry`; it will never take this photo: `.giveUp`.
    func check() async throws(SubmitFailure) -> String {
        try standIn.reach()
        return "The folder “\(standIn.folder)” plays Acme."
    }

    // HOLE 3 of 6: what has this name? `nil` only if Acme says that there is nothing; if it cannot be asked, throw.
    // Hanging on it: a photo is never sent twice, and nobody else's is taken for it. Where Acme tells no digest, leave that
    // `nil` and fill `readBack`; its answer is `nil` where Acme does not hand out what it was given either. Then what has
    // the name counts as someone else's: after a lost reply the photo is stored a second time, under the next name.
    func look(_ path: String) async throws(SubmitFailure) -> StoredCopy? {
        try standIn.look(path)
    }

    /// The SHA-256 of a copy's bytes, downloaded.
    func readBack(_ path: String) async throws(SubmitFailure) -> [UInt8]? {
        try standIn.readBack(path)
    }

    // HOLE 4 of 6: an upload that does not show yet.
    // Hanging on it: after a failure nothing shows, and a broken upload goes on where it broke. Return Acme's own id of
    // the upload (it is kept as the checkpoint: no secret), and from `landed` what Acme holds, not what was sent.
    func begin(_ submission: String) async throws(SubmitFailure) -> String {
        try standIn.begin(submission)
    }

    /// Bytes that Acme has of an upload; `nil` where it does not know it any more.
    func landed(_ upload: String) async throws(SubmitFailure) -> Int64? {
        try standIn.landed(upload)
    }

    func send(_ piece: [UInt8], at offset: Int64, to upload: String) async throws(SubmitFailure) {
        try standIn.send(piece, at: offset, to: upload)
    }

    /// Removes an upload; does nothing where there is none.
    func abandon(_ upload: String) async throws(SubmitFailure) {
        try standIn.abandon(upload)
    }

    // HOLE 5 of 6: prove the upload, and show it.
    // Hanging on it: `verified`. The digest must be computed by Acme or from bytes that were read back from it; where there
    // is none, return `nil`, and the receipt says no more than the size that `landed` told. `publish` is `false` where the
    // name is taken by now: look and show must be one step at Acme (`If-None-Match: *`, a rename that does not replace),
    // or two photos of one name destroy each other. It is durable when this returns.
    func digest(of upload: String) async throws(SubmitFailure) -> [UInt8]? {
        try standIn.digest(of: upload)
    }

    func publish(_ upload: String, as path: String, replacing: Bool) async throws(SubmitFailure) -> Bool {
        try standIn.publish(upload, as: path, replacing: replacing)
    }
}

// HOLE 6 of 6: albums, presence, removal. What Acme does not have, take out here and in `AcmeSubmitter.facets` (and
// `albums` in its facts).

extension AcmeService: AlbumFacet {
    func list() async throws(SubmitFailure) -> [String] {
        try standIn.albums()
    }

    /// Many may create one album at once: one must result.
    func create(_ album: String) async throws(SubmitFailure) {
        try standIn.createAlbum(album)
    }
}

extension AcmeService: PresenceFacet {
    /// “Cannot reach” is `unknown` and never `absent`: an absent copy is sent again.
    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            guard let there = try await look(receipt.remoteID),
                let evidence = try await evidence(there, at: receipt.remoteID, of: item)
            else { return .absent }
            return .present(evidence)
        } catch {
            return .unknown(error.message)
        }
    }
}

extension AcmeService: RemovalFacet {
    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        try standIn.remove(receipt.remoteID)
    }

    /// Only an album that nothing is in.
    func removeAlbum(_ album: String) async throws(SubmitFailure) {
        try standIn.removeAlbum(album)
    }
}

/// What Acme says of a copy.
struct StoredCopy {
    var size: Int64
    /// `nil` where Acme tells none.
    var sha256: [UInt8]?
}

extension AcmeService {
    /// Whether a copy is the item: `verified`; for all that is known, perhaps: `size`; no: `nil`.
    func evidence(
        _ there: StoredCopy, at path: String, of item: MediaItem
    ) async throws(SubmitFailure) -> Evidence? {
        guard there.size == item.size else { return nil }
        var digest = there.sha256
        if digest == nil { digest = try await readBack(path) }
        guard let digest else { return .size }
        return digest == item.digests[.sha256] ? .verified : nil
    }
}

internal import Submit
internal import SubmitTransfer

/// Acme's own calls. For HTTP, take an `any HTTPTransport` of `SubmitHTTP` instead of the stand-in.
struct AcmeService: StagingService, AlbumFacet, RemovalFacet {
    let standIn: StandIn
    let place = "Acme"
    let partSize: Int64 = 256 << 10
    var account: String { "acme \(standIn.folder)" }

    // HOLE 2 of 6: can Acme be used as configured? Leave nothing there.
    // One function decides what Acme's errors mean, as `StandIn.failure` does. Unreachable: `.hold(.unreachable)`; the token is
    // refused: `.renewCredentials`; no room: `.hold(.full)`; too many requests: `.hold(.throttled)`, with the time that Acme
    // names; trouble: `.retry`; it will never take this photo: `.giveUp`.
    func check() async throws(SubmitFailure) -> String {
        try standIn.reach()
        return "The folder “\(standIn.folder)” plays Acme."
    }

    // HOLE 3 of 6: what has this name? Return `nil` only if Acme says that nothing has it; throw if Acme can't be asked.
    // If Acme states no digest, fill `readBack`; it returns `nil` if Acme doesn't hand out the bytes either. Then any file with
    // that name counts as another photo's. After a lost reply, the photo is stored twice: again under the next name.
    func look(_ path: String) async throws(SubmitFailure) -> CopyFindings? { try standIn.look(path) }
    func readBack(_ path: String) async throws(SubmitFailure) -> [UInt8]? { try standIn.readBack(path) }

    // HOLE 4 of 6: an upload that doesn't show yet. `begin` returns Acme's id of it, which is no secret. `landed` returns what
    // Acme has, not what was sent; `nil` if Acme doesn't know the upload.
    func begin(_ item: MediaItem, submission: String) async throws(SubmitFailure) -> String {
        try standIn.begin(submission)
    }
    func landed(_ upload: String) async throws(SubmitFailure) -> Int64? { try standIn.landed(upload) }
    func send(_ piece: [UInt8], at offset: Int64, to upload: String) async throws(SubmitFailure) {
        try standIn.send(piece, at: offset, to: upload)
    }
    func abandon(_ upload: String) async throws(SubmitFailure) { try standIn.abandon(upload) }

    // HOLE 5 of 6: prove the upload, and show it. `digest` comes from Acme, or from bytes that you read back; without one
    // (`nil`), receipts only claim the size. `publish` returns false if something has the name by now. Acme must look and show
    // in one step (`If-None-Match: *`, a rename that doesn't replace). The copy is durable when `publish` returns.
    func digest(of upload: String) async throws(SubmitFailure) -> [UInt8]? { try standIn.digest(of: upload) }
    func publish(_ upload: String, as path: String, replacing: Bool) async throws(SubmitFailure) -> Bool {
        try standIn.publish(upload, as: path, replacing: replacing)
    }

    // HOLE 6 of 6: albums and removal. Remove what Acme doesn't have, here and from `AcmeSubmitter.facets` (and `albums`
    // from its facts). Several calls may create one album at once: one must result. `removeAlbum` only removes an empty one.
    func list() async throws(SubmitFailure) -> [String] { try standIn.albums() }
    func create(_ album: String) async throws(SubmitFailure) { try standIn.createAlbum(album) }
    func remove(_ receipt: Receipt) async throws(SubmitFailure) { try standIn.remove(receipt.remoteID) }
    func removeAlbum(_ album: String) async throws(SubmitFailure) { try standIn.removeAlbum(album) }
}

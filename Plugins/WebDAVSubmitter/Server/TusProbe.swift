internal import Crypto
internal import Submit
internal import SubmitHTTP

/// Tries on scratch files whether a server that offers tus goes on in the middle, puts what is whole under its name,
/// and checks what comes: there are those that offer all and check nothing.
struct TusProbe {
    let server: DAVServer
    /// Where the scratch files lie for a moment.
    let base: DAVPath
    /// What no other probe has in its names.
    let mark: String

    private static let content = Array("0123456789abcdef".utf8)
    /// Where the second piece begins.
    private static let cut = 10

    /// Under which the scratch files lie.
    static func names(_ mark: String, isHidden: Bool) -> [String] {
        let stem = "\(isHidden ? TemporaryName.mark : TemporaryName.plainMark)probe-\(mark)-tus"
        return ["", "-plain", "-wrong"].map { stem + $0 }
    }

    /// Leaves in the profile what holds; no tus at all where that is nothing.
    func run(_ profile: inout ServerProfile) async throws(SubmitFailure) {
        guard case .tus(var offer) = profile.upload else { return }
        let paths = Self.names(mark, isHidden: profile.takesHidden).map { base.appending($0) }
        var failure: SubmitFailure?
        do throws(SubmitFailure) {
            if try await arrives(paths[0], offer, isChecked: true, profile) {
                try await checks(paths[2], &offer, profile)
                profile.upload = .tus(offer)
            } else if try await arrives(paths[1], offer, isChecked: false, profile) {
                offer.pieceDigest = nil
                profile.upload = .tus(offer)
            } else {
                profile.upload = nil
            }
        } catch {
            failure = error
        }
        for path in paths { try? await server.delete(path) }
        if let failure { throw failure }
    }

    /// Sends a file in two pieces.
    ///
    /// - Parameter isChecked: with the digests of both, and of the whole.
    private func arrives(
        _ path: DAVPath, _ offer: TusOffer, isChecked: Bool, _ profile: ServerProfile
    ) async throws(SubmitFailure) -> Bool {
        let digest = Hexadecimal.text(of: Insecure.SHA1.hash(data: Self.content))
        guard let upload = try await begin(path, offer, digest: isChecked ? digest : nil) else { return false }
        let algorithm = isChecked ? offer.pieceDigest : nil
        var isThere = false
        if try await add(0..<Self.cut, to: upload, algorithm).uploadOffset == Int64(Self.cut),
            try await answer(try await tus.look(at: upload)).uploadOffset == Int64(Self.cut),
            try await add(Self.cut..<Self.content.count, to: upload, algorithm).uploadOffset
                == Int64(Self.content.count)
        {
            isThere = try await server.settled(path, lists: profile.lists)?.size == Int64(Self.content.count)
            if isThere {
                let answer = try await server.send(DAVRequest("GET", path.encoded))
                // What cannot be read is judged by its size.
                isThere = answer.status != 200 || answer.body == Self.content
            }
        }
        if !isThere { try? await tus.end(upload) }
        return isThere
    }

    /// Sends a piece with a digest that is not its own, and then all under one that is not the whole's.
    private func checks(
        _ path: DAVPath, _ offer: inout TusOffer, _ profile: ServerProfile
    ) async throws(SubmitFailure) {
        guard let upload = try await begin(path, offer, digest: String(repeating: "0", count: 40)) else {
            offer.pieceDigest = nil
            return
        }
        let algorithm = offer.pieceDigest
        if algorithm != nil {
            let wrong = try await add(0..<Self.cut, to: upload, algorithm, isWrong: true)
            let reached = try await answer(try await tus.look(at: upload)).uploadOffset
            if wrong.status != 460 || reached != 0 { offer.pieceDigest = nil }
            if reached != 0 {
                // It took the piece, or is of no more use.
                guard wrong.isSuccess, reached == Int64(Self.cut) else { return }
            }
            if reached == 0 { _ = try await add(0..<Self.cut, to: upload, algorithm) }
        } else {
            _ = try await add(0..<Self.cut, to: upload, nil)
        }
        let last = try await add(Self.cut..<Self.content.count, to: upload, algorithm)
        if !last.isSuccess, try await server.settled(path, lists: profile.lists) == nil { offer.checksWhole = true }
        try? await tus.end(upload)
    }

    // MARK: Steps

    private var tus: Tus { Tus(server: server, file: nil) }

    private func begin(_ path: DAVPath, _ offer: TusOffer, digest: String?) async throws(SubmitFailure) -> String? {
        let collection = offer.creation ?? base.encoded
        let answer = try await answer(
            try await tus.create(
                at: collection, of: Int64(Self.content.count),
                metadata: [("filename", path.name ?? ""), ("filetype", "text/plain"), ("mtime", "1000000000")]
                    + (digest.map { [("checksum", "sha1 \($0)")] } ?? [])))
        guard answer.isSuccess,
            case .path(let upload) = TusLocation(answer["Location"], from: collection, at: server.endpoint)
        else { return nil }
        return upload
    }

    private func add(
        _ piece: Range<Int>, to upload: String, _ algorithm: DigestAlgorithm?, isWrong: Bool = false
    ) async throws(SubmitFailure) -> HTTPResponse {
        let bytes = Array(Self.content[piece])
        let digest = algorithm.map { ($0, Self.digest($0, of: isWrong ? [0] : bytes)) }
        return try await answer(
            try await tus.add(.bytes(bytes), to: upload, at: Int64(piece.lowerBound), digest: digest))
    }

    private static func digest(_ algorithm: DigestAlgorithm, of bytes: [UInt8]) -> [UInt8] {
        switch algorithm {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .md5: Array(Insecure.MD5.hash(data: bytes))
        case .sha1, .crc32c: Array(Insecure.SHA1.hash(data: bytes))
        }
    }

    /// The answer, unless it says something of the destination and not of what was tried.
    private func answer(_ answer: HTTPResponse) async throws(SubmitFailure) -> HTTPResponse {
        if answer.isOfDestination {
            throw server.failure(answer, at: base.description, file: nil)
        }
        return answer
    }
}

extension DAVServer {
    /// What is there when the server has done with what it was given, which takes it a moment.
    func settled(_ path: DAVPath, lists: Bool) async throws(SubmitFailure) -> StoredFile? {
        var failure = SubmitFailure.cancelled
        for _ in 0..<Self.mostLooks {
            do throws(SubmitFailure) {
                return try await file(path, lists: lists, about: nil)
            } catch {
                guard error.code == "too-early" else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Nothing here waits: as many requests as take about as long as a moment.
    static let mostLooks = 20
}

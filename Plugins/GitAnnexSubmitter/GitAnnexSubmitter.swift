internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitPrograms

/// Puts media items on a special remote of git-annex, by a program that speaks its external protocol.
///
/// A remote says yes or no, and neither a size nor a digest: its yes is ``Evidence/unknown``. Read back, a copy is
/// ``Evidence/verified``.
struct GitAnnexSubmitter: Submitter {
    let capabilities: Capabilities
    let facets: Facets

    private let remote: AnnexRemote
    private let template: PathTemplate
    private let canReadBack: Bool

    /// Held by all submitters of this process: the protocol cannot refuse to replace.
    private static let claims = KeyedLock()
    private static let mostNumbers = 9999

    init(remote: AnnexRemote, template: PathTemplate, canReadBack: Bool) {
        self.remote = remote
        self.template = template
        self.canReadBack = canReadBack
        capabilities = Self.capabilities(usesCaptureTime: template.usesCaptureTime)
        let copies = AnnexCopies(remote: remote)
        facets = Facets(presence: copies, removal: copies)
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let key = AnnexKey(item)
        // Programs that copy a file to a folder name the copy like the file.
        let proves = canReadBack || context.verification == .readback
        guard remote.configuration.exports else {
            return try await claimed(key.text) { () throws(SubmitFailure) in
                try await arrive(.init(key: key, name: nil), item, bytes, context, proves, note: nil)
            }!
        }
        var parts =
            context.repairedAddress.map { PathNames.split($0) } ?? template.render(item, album: nil).map(Self.line)
        let name = parts.removeLast()
        for number in 0...Self.mostNumbers {
            let candidate = number == 0 ? name : FileName(name).numbered(number)
            let path = (parts + [candidate]).joined(separator: "/")
            let note = number == 0 ? nil : "It is called “\(candidate)”, because another file has the name “\(name)”."
            let receipt = try await claimed(path) { () throws(SubmitFailure) in
                try await arrive(.init(key: key, name: path), item, bytes, context, proves, note: note)
            }
            if let receipt { return receipt }
        }
        throw nameTaken(name, "has \(Self.mostNumbers) other files called like")
    }

    private static func line(_ part: String) -> String {
        String(String.UnicodeScalarView(part.unicodeScalars.map { $0.endsNames ? "_" : $0 }))
    }

    private func claimed(
        _ name: String, _ body: () async throws(SubmitFailure) -> Receipt?
    ) async throws(SubmitFailure) -> Receipt? {
        let claim = "\(remote.configuration.fingerprint) \(name)"
        guard await Self.claims.acquire(claim) else { throw .cancelled }
        defer { Self.claims.release(claim) }
        return try await body()
    }

    /// - Returns: `nil` where other bytes have the name and the next one is to be tried.
    private func arrive(
        _ place: AnnexSession.Place, _ item: MediaItem, _ bytes: any MediaBytes, _ context: SubmissionContext,
        _ proves: Bool, note: String?
    ) async throws(SubmitFailure) -> Receipt? {
        let id = place.name ?? place.key.text
        if try await isThere(place) {
            // A key is the digest: what is there by it is the item, as far as the remote is to be believed.
            if place.name == nil, !proves { return Receipt(remoteID: id, evidence: .unknown, wasThere: true) }
            if try await remote.holds(item, at: place) {
                return Receipt(remoteID: id, evidence: .verified, wasThere: true)
            }
            switch context.onConflict {
            case _ where place.name == nil, .overwrite: break
            case .rename: return nil
            case .skip:
                return Receipt(
                    remoteID: id, evidence: .unknown, wasThere: true,
                    note: "Another file has the name “\(id)”; it was left alone and nothing was stored.")
            case .fail: throw nameTaken(id, "has another file with the name")
            }
        }
        let file = try AcceptedFile(copying: item, bytes, named: place.key.text)
        try bytes.verifyUnchanged()
        let size = item.size
        let url = try await remote.speak(about: place.key) { (talk) throws(SubmitFailure) -> String? in
            try talk.store(file.path, at: place) { context.sent(min($0, size)) }
            return talk.memory.urls(of: place.key.text).first { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
        }
        context.sent(size)
        guard try await isThere(place) else {
            throw SubmitFailure(
                .retry(after: nil), code: "not-there",
                message: "“\(item.name)” is not at \(remote.configuration.destination), though "
                    + "\(remote.configuration.program) said that it stored it; try again.")
        }
        if proves {
            guard try await remote.holds(item, at: place) else {
                try await remote.speak(about: place.key) { (talk) throws(SubmitFailure) in try talk.remove(place) }
                throw SubmitFailure(
                    .retry(after: nil), code: "damaged",
                    message:
                        "“\(item.name)” came back damaged from \(remote.configuration.destination) and was removed; try again."
                )
            }
        }
        return Receipt(remoteID: id, url: url, evidence: proves ? .verified : .unknown, note: note)
    }

    private func isThere(_ place: AnnexSession.Place) async throws(SubmitFailure) -> Bool {
        let looked = try await remote.speak(about: place.key) { (talk) throws(SubmitFailure) in try talk.look(place) }
        switch looked {
        case .there: return true
        case .notThere: return false
        case .unknown(let sentence):
            throw SubmitFailure(.hold(.unreachable, after: nil), code: "unreachable", message: sentence)
        }
    }

    private func nameTaken(_ name: String, _ how: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "name-taken",
            message: "\(remote.configuration.destination) \(how) “\(name)”; rename one of them.")
    }

    /// A remote shows nothing of what is half there, and has no way to remove it.
    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    func check() async throws(SubmitFailure) -> String {
        let key = AnnexKey.unknown
        let looked = try await remote.speak(about: key) { (talk) throws(SubmitFailure) in
            try talk.look(.init(key: key, name: remote.configuration.exports ? ".submit-check" : nil))
        }
        if case .unknown(let sentence) = looked {
            throw SubmitFailure(.hold(.unreachable, after: nil), code: "unreachable", message: sentence)
        }
        return "\(remote.configuration.program) is set up and answers; nothing was stored to try it."
    }
}

extension Unicode.Scalar {
    /// A control character: the protocol's names end with the line.
    var endsNames: Bool { value < 0x20 || value == 0x7f }
}

internal import Submit
internal import SubmitPrograms
internal import SubmitTransfer

/// One item on its way to a special remote.
///
/// An exporting remote stores under names; any other under the item's key, which is made of its digest.
struct AnnexUpload: NamedStorage {
    let item: MediaItem
    let bytes: any MediaBytes
    let context: SubmissionContext
    let remote: AnnexRemote
    let folders: [String]
    /// The item's own name; `nil` at a remote that stores under keys.
    let name: String?
    /// Copies are read back.
    let proves: Bool

    private var key: AnnexKey { AnnexKey(item) }

    var place: String { remote.configuration.destination }

    /// The protocol can't refuse to replace.
    var sparesOthers: Bool { false }

    func identity(of address: String) -> String { "\(remote.configuration.fingerprint) \(address)" }

    func address(_ number: Int) -> String {
        guard let name else { return key.text }
        return (folders + [number == 0 ? name : FileName(name).numbered(number)]).joined(separator: "/")
    }

    private func location(_ address: String) -> AnnexSession.Place {
        .init(key: key, name: name == nil ? nil : address)
    }

    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<Void> {
        let location = location(address)
        guard try await isThere(location) else { return .free }
        // The key is the digest, so the remote says that it has the item.
        if name == nil, !proves { return .same(Receipt(remoteID: address, evidence: .unknown, wasThere: true)) }
        if try await remote.holds(item, at: location) {
            return .same(Receipt(remoteID: address, evidence: .verified, wasThere: true))
        }
        // Other bytes under the item's own key are a damaged copy. It is stored again.
        return name == nil ? .notLooked : .other((), OtherContent())
    }

    func store(at address: String, over sighting: NameSighting<Void>) async throws(SubmitFailure) -> Receipt? {
        let location = location(address)
        let file = try AcceptedFile(copying: item, bytes, named: key.text)
        try bytes.verifyUnchanged()
        let size = item.size
        let url = try await remote.speak(about: key) { (talk) throws(SubmitFailure) -> String? in
            try talk.store(file.path, at: location) { context.sent(min($0, size)) }
            return talk.memory.urls(of: key.text).first { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
        }
        context.sent(size)
        guard try await isThere(location) else {
            throw SubmitFailure(
                .retry(after: nil), code: "not-there",
                message: "“\(item.name)” is not at \(remote.configuration.destination), though "
                    + "\(remote.configuration.program) said that it stored it; try again.")
        }
        if proves {
            guard try await remote.holds(item, at: location) else {
                try await remote.speak(about: key) { (talk) throws(SubmitFailure) in try talk.remove(location) }
                throw SubmitFailure(
                    .retry(after: nil), code: "damaged",
                    message:
                        "“\(item.name)” came back damaged from \(remote.configuration.destination) and was removed; try again."
                )
            }
        }
        return Receipt(remoteID: address, url: url, evidence: proves ? .verified : .unknown)
    }

    private func isThere(_ location: AnnexSession.Place) async throws(SubmitFailure) -> Bool {
        let looked = try await remote.speak(about: location.key) { (talk) throws(SubmitFailure) in
            try talk.look(location)
        }
        switch looked {
        case .there: return true
        case .notThere: return false
        case .unknown(let sentence):
            throw SubmitFailure(.hold(.unreachable, after: nil), code: "unreachable", message: sentence)
        }
    }

    /// A folder's or a file's name, without what would end the protocol's line.
    static func line(_ part: String) -> String {
        String(String.UnicodeScalarView(part.unicodeScalars.map { $0.endsNames ? "_" : $0 }))
    }
}

extension Unicode.Scalar {
    /// A control character: the protocol's names end with the line.
    var endsNames: Bool { value < 0x20 || value == 0x7f }
}

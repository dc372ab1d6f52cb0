internal import Submit
internal import SubmitReceiving
internal import SubmitStore

/// What a sender is told of its session, as JSON.
struct SessionReport: Encodable {
    struct ReportedSession: Encodable {
        let state: String
        let words: [String]
        let device: String
        let expires: Int64
    }

    struct Terms: Encodable {
        let destinations: [String]
        let album: String?
        let files: Int?
        let bytes: Int64?
        let fileBytes: Int64?
        let kinds: [String]?
    }

    let session: ReportedSession
    let terms: Terms
    let changes: ChangesReport

    init(_ session: ReceivingSession, _ terms: InviteTerms, _ changes: ReceptionChanges) {
        self.session = ReportedSession(
            state: session.state == .open ? "open" : "unconfirmed", words: session.words, device: session.device,
            expires: session.expires.seconds)
        self.terms = Terms(
            destinations: terms.destinations, album: terms.album, files: terms.files, bytes: terms.bytes,
            fileBytes: terms.fileBytes, kinds: terms.kinds.map { $0.map(\.rawValue).sorted() })
        self.changes = ChangesReport(changes)
    }
}

/// What changed of files, as JSON.
struct ChangesReport: Encodable {
    struct File: Encodable {
        let id: String
        let name: String
        let folder: String?
        let length: Int64?
        let offset: Int64
        let state: String
        let safe: Bool
        let sha256: String?
        let code: String?
        let message: String?
        let destinations: [Place]
    }

    struct Place: Encodable {
        let destination: String
        let state: String
        let evidence: String?
        let code: String?
        let message: String?
    }

    let sequence: UInt64
    let whole: Bool
    let files: [File]

    init(_ changes: ReceptionChanges) {
        sequence = changes.sequence
        whole = changes.isWhole
        files = changes.files.map { status in
            let file = status.file
            return File(
                id: file.id.rawValue, name: file.name, folder: file.folder, length: file.length, offset: file.offset,
                state: file.state.name, safe: status.isSafe, sha256: file.digest.map { Hexadecimal.text(of: $0) },
                code: file.code, message: file.sentence,
                destinations: status.destinations.map {
                    Place(
                        destination: $0.destination, state: $0.state.name, evidence: $0.evidence?.rawValue,
                        code: $0.code, message: $0.sentence)
                })
        }
    }
}

import Submit
import SubmitStore
import SystemPackage

extension HandedOnStore {
    func addInvite(_ invite: NewInvite) async throws(SubmitFailure) -> Bool {
        try await writing { (store) throws(SubmitFailure) in try await store.addInvite(invite) }
    }

    func invites(_ id: InviteID?) async throws(SubmitFailure) -> [InviteRecord] {
        try await reading { (store) throws(SubmitFailure) in try await store.invites(id) }
    }

    /// Counts each time it is asked.
    func noteWrongSecret(for invite: InviteID) async throws(SubmitFailure) {
        try await reading { (store) throws(SubmitFailure) in try await store.noteWrongSecret(for: invite) }
    }

    func revoke(_ invite: InviteID) async throws(SubmitFailure) -> [IncomingFileID] {
        try await writing { (store) throws(SubmitFailure) in try await store.revoke(invite) }
    }

    func forgetInvites(endedFor life: Duration) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.forgetInvites(endedFor: life) }
    }

    func spend(_ invite: InviteID) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.spend(invite) }
    }

    func openSession(_ session: NewSession) async throws(SubmitFailure) -> OpenedSession {
        try await writing { (store) throws(SubmitFailure) in try await store.openSession(session) }
    }

    func session(ofToken digest: [UInt8]) async throws(SubmitFailure) -> ReceivingSession? {
        try await reading { (store) throws(SubmitFailure) in try await store.session(ofToken: digest) }
    }

    func sessions(of invite: InviteID) async throws(SubmitFailure) -> [ReceivingSession] {
        try await reading { (store) throws(SubmitFailure) in try await store.sessions(of: invite) }
    }

    func move(
        _ session: SessionID, to state: ReceivingSession.State
    ) async throws(SubmitFailure) -> [IncomingFileID] {
        try await writing { (store) throws(SubmitFailure) in try await store.move(session, to: state) }
    }

    func begin(_ file: NewIncomingFile) async throws(SubmitFailure) -> BegunFile {
        try await writing { (store) throws(SubmitFailure) in try await store.begin(file) }
    }

    func incomingFile(_ id: IncomingFileID) async throws(SubmitFailure) -> IncomingFile? {
        try await reading { (store) throws(SubmitFailure) in try await store.incomingFile(id) }
    }

    func incomingFiles(of session: SessionID) async throws(SubmitFailure) -> [IncomingFile] {
        try await reading { (store) throws(SubmitFailure) in try await store.incomingFiles(of: session) }
    }

    func openIncomingFiles() async throws(SubmitFailure) -> [IncomingFile] {
        try await reading { (store) throws(SubmitFailure) in try await store.openIncomingFiles() }
    }

    func advance(
        _ file: IncomingFileID, to offset: Int64, life: Duration
    ) async throws(SubmitFailure) -> Bool {
        try await writing { (store) throws(SubmitFailure) in try await store.advance(file, to: offset, life: life) }
    }

    func completeFile(
        _ file: IncomingFileID, length: Int64, digest: [UInt8], kept: FilePath?, mostBytes: Int64?
    ) async throws(SubmitFailure) -> Bool {
        try await writing { (store) throws(SubmitFailure) in
            try await store.completeFile(file, length: length, digest: digest, kept: kept, mostBytes: mostBytes)
        }
    }

    func arrive(_ files: [IncomingFile], in batch: BatchID) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.arrive(files, in: batch) }
    }

    func end(
        _ file: IncomingFileID, as state: IncomingFile.State, _ refusal: (code: String, sentence: String)?
    ) async throws(SubmitFailure) -> IncomingFile? {
        try await writing { (store) throws(SubmitFailure) in try await store.end(file, as: state, refusal) }
    }

    func expireIncomingFiles() async throws(SubmitFailure) -> [IncomingFileID] {
        try await writing { (store) throws(SubmitFailure) in try await store.expireIncomingFiles() }
    }

    func proven(_ digests: [[UInt8]], at places: [String: Int64]) async throws(SubmitFailure) -> Set<[UInt8]> {
        try await reading { (store) throws(SubmitFailure) in try await store.proven(digests, at: places) }
    }
}

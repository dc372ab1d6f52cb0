import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import SubmitTransfer
import Testing

@testable import WebDAVSubmitter

/// One item that is brought to a temporary name by tus, tried again and again from its last checkpoint.
final class TusEndeavour: Sendable {
    static let partSize = 32 << 10

    let bytes: ScriptedBytes
    let temporary: DAVPath
    let server: DAVServer
    let offer: TusOffer
    private let profile: ServerProfile
    private let state = Locked<(checkpoint: Checkpoint?, landed: Int64, tries: Int)>((nil, 0, 0))

    init(
        _ server: DAVServer, _ offer: TusOffer, size: Int = 4 * TusEndeavour.partSize + 5000, seed: UInt64 = 1,
        name: String = "submit-test-1", in collection: DAVPath = DAVPath(["dav"], isCollection: true)
    ) {
        bytes = ScriptedBytes(ScriptedBytes.content(count: size, seed: seed))
        temporary = collection.appending(name)
        self.server = server
        self.offer = offer
        var profile = ServerProfile()
        profile.lists = false
        profile.upload = .tus(offer)
        self.profile = profile
    }

    convenience init(_ fake: FakeTus, pieceDigest: DigestAlgorithm? = nil, checksWhole: Bool = false) throws {
        var offer = TusOffer()
        offer.pieceDigest = pieceDigest
        offer.checksWhole = checksWhole
        self.init(
            DAVServer(try Endpoint(FakeTus.origin + "/dav"), destination: "dav", transport: fake), offer)
    }

    var checkpoint: Checkpoint? {
        get { state.withLock { $0.checkpoint } }
        set { state.withLock { $0.checkpoint = newValue } }
    }
    var note: UploadCheckpoint? { UploadCheckpoint(checkpoint) }
    /// Bytes that need not be sent again.
    var landed: Int64 { state.withLock { $0.landed } }

    func attempt(sent: @escaping @Sendable (Int64) -> Void = { _ in }) async throws(SubmitFailure) -> DeliveredBytes {
        let (checkpoint, _, tries) = state.withLock { state in
            state.tries += 1
            return state
        }
        let context = SubmissionContext(
            submission: "test-1", attempt: tries, checkpoint: checkpoint,
            keep: { [state] checkpoint in
                state.withLock { $0.checkpoint = checkpoint }
                return .success(())
            }, sent: sent,
            landed: { [state] bytes in state.withLock { $0.landed = max($0.landed, bytes) } })
        return try await TusUpload(server: server, offer: offer, partSize: Int64(Self.partSize)).bring(
            UploadJob(
                ItemDigests(bytes.item(named: "a.jpg"), bytes), context: context, temporary: temporary,
                profile: profile))
    }

    /// An attempt that fails with one sentence that names the photo, says what to do, and not where the upload is.
    func fails(_ remedy: Remedy, _ code: String, location: SourceLocation = #_sourceLocation) async throws {
        let failure = await #expect(throws: SubmitFailure.self, sourceLocation: location) { try await attempt() }
        let found = try #require(failure, sourceLocation: location)
        #expect(found.remedy == remedy && found.code == code, "\(found.code): \(found)", sourceLocation: location)
        let sentence = found.message
        #expect(sentence.contains("“a.jpg”") && sentence.contains(": "), "\(sentence)", sourceLocation: location)
        #expect(sentence.hasSuffix(".") && !sentence.contains(". "), "\(sentence)", sourceLocation: location)
        #expect(!sentence.contains("key=secret") && !sentence.contains("\n"), "\(sentence)", sourceLocation: location)
    }

    /// The next attempt is the last.
    ///
    /// - Returns: bytes that it sent.
    @discardableResult
    func arrives(
        at fake: FakeTus, evidence: Evidence? = nil, location: SourceLocation = #_sourceLocation
    ) async throws -> Int {
        let before = fake.now.taken
        let brought = try await attempt()
        #expect(brought.evidence == evidence, sourceLocation: location)
        #expect(fake.now.files == [temporary.encoded: bytes.content], sourceLocation: location)
        #expect(landed == bytes.size, sourceLocation: location)
        return fake.now.taken - before
    }
}

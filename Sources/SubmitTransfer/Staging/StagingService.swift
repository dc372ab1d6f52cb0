public import Submit

/// A service whose uploads don't show until they are published.
///
/// ``StagedUploads`` sends items to it. Nothing here waits or tries again: a call that fails throws a `SubmitFailure`, and the
/// engine acts on its remedy.
public protocol StagingService: CopyInspector {
    /// The service as sentences call it.
    var place: String { get }

    /// Tells this account's names apart from those of all other accounts and services.
    var account: String { get }

    /// How many bytes one request sends. They are sent again if it breaks.
    var partSize: Int64 { get }

    /// Returns what has a name; `nil` only if the service says that nothing has it.
    ///
    /// - Throws: the failure if the service can't be asked.
    func look(_ address: String) async throws(SubmitFailure) -> CopyFindings?

    /// The SHA-256 of a copy's bytes, downloaded; `nil` if the service doesn't hand them out.
    ///
    /// - Throws: the failure if the service can't be asked.
    func readBack(_ address: String) async throws(SubmitFailure) -> [UInt8]?

    /// Begins an upload.
    ///
    /// - Returns: the service's own name for it. It is kept in the checkpoint, so it holds no secret.
    /// - Throws: the failure with its remedy.
    func begin(_ item: MediaItem, submission: String) async throws(SubmitFailure) -> String

    /// How many bytes the service has of an upload; `nil` if it doesn't know the upload.
    ///
    /// - Throws: the failure if the service can't be asked.
    func landed(_ upload: String) async throws(SubmitFailure) -> Int64?

    /// Adds bytes to an upload.
    ///
    /// - Throws: the failure with its remedy.
    func send(_ piece: [UInt8], at offset: Int64, to upload: String) async throws(SubmitFailure)

    /// The SHA-256 of an upload, computed by the service or from bytes that it handed out; `nil` if there is none.
    ///
    /// - Throws: the failure if the service can't be asked.
    func digest(of upload: String) async throws(SubmitFailure) -> [UInt8]?

    /// Gives an upload its name, in one step and durably.
    ///
    /// - Returns: false if other bytes came to the name and `replacing` is false.
    /// - Throws: the failure with its remedy.
    func publish(_ upload: String, as address: String, replacing: Bool) async throws(SubmitFailure) -> Bool

    /// Removes an upload; does nothing if there is none.
    ///
    /// - Throws: the failure with its remedy.
    func abandon(_ upload: String) async throws(SubmitFailure)
}

extension StagingService {
    /// Looks for the copy, and reads it if nothing else proves it.
    ///
    /// - Throws: the failure if the service can't be asked.
    public func inspect(
        _ item: MediaItem, _ receipt: Receipt, readsBack: Bool
    ) async throws(SubmitFailure) -> Presence {
        guard let found = try await look(receipt.remoteID) else { return .absent }
        return try await verdict(on: found, at: receipt.remoteID, item, readsBack: readsBack).presence
    }

    func verdict(
        on found: CopyFindings, at address: String, _ item: MediaItem, readsBack: Bool = false
    ) async throws(SubmitFailure) -> CopyVerdict {
        let verdict = found.verdict(on: item)
        guard let evidence = verdict.evidence, readsBack || evidence != .verified,
            let digest = try await readBack(address)
        else { return verdict }
        return CopyVerdict(readBack: digest, of: item)
    }
}

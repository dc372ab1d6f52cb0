internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// Looks for an item under the key that its receipt names.
struct ObjectPresence: CopyInspector {
    let locate: @Sendable (_ remoteID: String) throws(SubmitFailure) -> (any ObjectContainer, key: String)

    func inspect(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async throws(SubmitFailure) -> Presence {
        let (container, key) = try locate(receipt.remoteID)
        guard let object = try await container.object(key, file: nil) else { return .absent }
        var findings = object.findings
        if readsBack {
            guard object.size == nil || object.size == item.size else { return .changed(.size) }
            if let flaw = try await container.flaw(in: object, at: key) { return flaw }
            return try await read(key, in: container, item, receipt)
        }
        // The copy had the same ETag when it arrived.
        if let etag = receipt.marks["etag"], etag == object.marks["etag"], findings.verdict(on: item) == .doubtful {
            findings.possible = Digests()
        }
        let isContradicted = receipt.isContradicted(by: object.marks, strongestFirst: StoredObject.marksStrongestFirst)
        let verdict = findings.verdict(on: item)
        switch verdict {
        case .same(.verified), .differs: return verdict.presence
        case .same where !isContradicted: return try await container.flaw(in: object, at: key) ?? verdict.presence
        case .same, .doubtful: return await presenceStoredAnew(of: item, receipt: receipt)
        }
    }

    private func read(
        _ key: String, in container: any ObjectContainer, _ item: MediaItem, _ receipt: Receipt
    ) async throws(SubmitFailure) -> Presence {
        do throws(SubmitFailure) {
            guard let digest = try await container.reader(of: key, size: item.size, file: nil).digest() else {
                return .unknown("“\(receipt.remoteID)” cannot be read back: the server does not hand out its bytes.")
            }
            return CopyVerdict(readBack: digest, of: item).presence
        } catch  where error.code == SubmitFailure.brokenObjectCode {
            return .changed(.digest)
        }
    }
}

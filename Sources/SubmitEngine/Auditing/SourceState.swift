internal import Submit
internal import SubmitDigest
internal import SubmitPlatform
internal import SubmitStore
internal import SystemPackage

/// Whether an accepted source could be sent again.
public enum SourceState: String, Sendable, Hashable, CaseIterable {
    /// It is what was accepted.
    case unchanged
    /// It has other content.
    case changed
    /// It is no longer at its place.
    case missing
    /// It is there and cannot be read.
    case unreadable
    /// It was removed because enough copies of it were proven.
    case removed

    /// Looks at a submission's source. Its bytes are read only where its marks have changed, or with `isDeep`.
    static func of(_ record: SubmissionRecord, isDeep: Bool) async -> SourceState {
        let file: GuardedFile
        do throws(SubmitFailure) {
            file = try GuardedFile.open(record.item)
            if file.identity.agrees(with: record.identity), !isDeep { return .unchanged }
            let digests = try await Digests.computed([.sha256], of: file)
            return digests[.sha256] == record.item.digests[.sha256] ? .unchanged : .changed
        } catch {
            switch error.code {
            case "source-vanished": return .missing
            case "source-changed": return .changed
            default: return .unreadable
            }
        }
    }
}

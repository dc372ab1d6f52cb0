internal import Submit

/// Looks for an item under the key that its receipt names.
struct ObjectPresence: PresenceFacet {
    let bucket: Bucket

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            guard let object = try await bucket.object(receipt.remoteID, file: item.name) else { return .absent }
            return switch object.likeness(to: item) {
            case .same(let evidence): .present(evidence)
            case .different: .absent
            case .doubtful: .unknown("“\(receipt.remoteID)” has an ETag that fits no digest of “\(item.name)”: read it back.")
            case .unclear: .present(object.size == nil ? .unknown : .size)
            }
        } catch {
            return .unknown(error.sentence)
        }
    }
}

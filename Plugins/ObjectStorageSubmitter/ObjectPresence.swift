internal import Submit

/// Looks for an item under the key that its receipt names.
struct ObjectPresence: PresenceFacet {
    let locate: @Sendable (_ remoteID: String) throws(SubmitFailure) -> (any ObjectContainer, key: String)

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let (container, key) = try locate(receipt.remoteID)
            guard let object = try await container.object(key, file: item.name) else { return .absent }
            return switch object.likeness(to: item, md5: item.digests.hexadecimal(.md5)) {
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

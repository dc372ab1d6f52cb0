internal import Submit
internal import SubmitDigest

/// Looks for an item under the key that its receipt names.
struct ObjectPresence: PresenceFacet {
    let locate: @Sendable (_ remoteID: String) throws(SubmitFailure) -> (any ObjectContainer, key: String)

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let (container, key) = try locate(receipt.remoteID)
            guard let object = try await container.object(key, file: item.name) else { return .absent }
            return switch object.likeness(to: item, md5: item.digests.hexadecimal(.md5)) {
            case .same(let evidence): .present(evidence)
            case .different: .changed(object.size == item.size ? .digest : .size)
            case .doubtful: .unknown("“\(receipt.remoteID)” has an ETag that fits no digest of “\(item.name)”: read it back.")
            case .unclear: .present(object.size == nil ? .unknown : .size)
            }
        } catch {
            return .unknown(error.sentence)
        }
    }

    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let (container, key) = try locate(receipt.remoteID)
            guard let object = try await container.object(key, file: item.name) else { return .absent }
            guard object.size == nil || object.size == item.size else { return .changed(.size) }
            let digest = try await Digests.readBack(size: item.size) { (piece) async throws(SubmitFailure) in
                try await container.read(key, piece, of: item.size, file: item.name)
            }
            guard let digest else {
                return .unknown("“\(receipt.remoteID)” cannot be read back: the server does not hand out its bytes.")
            }
            return digest == item.digests[.sha256] ? .present(.verified) : .changed(.digest)
        } catch {
            return .unknown(error.sentence)
        }
    }
}

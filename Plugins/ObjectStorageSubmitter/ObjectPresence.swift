internal import Submit
internal import SubmitHTTP

/// Looks for an item under the key that its receipt names.
struct ObjectPresence: PresenceFacet {
    let locate: @Sendable (_ remoteID: String) throws(SubmitFailure) -> (any ObjectContainer, key: String)

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let (container, key) = try locate(receipt.remoteID)
            guard let object = try await container.object(key, file: nil) else { return .absent }
            let md5 = item.digests.hexadecimal(.md5)
            let isContradicted = receipt.isContradicted(
                by: object.marks, strongestFirst: StoredObject.marksStrongestFirst)
            switch object.likeness(to: item, md5: md5) {
            case .same(.verified): return .present(.verified)
            case .different: return .changed(object.size == item.size ? .digest : .size)
            case .doubtful where receipt.marks["etag"] != nil && receipt.marks["etag"] == object.marks["etag"]:
                return .present(object.sha256 == nil ? .size : .echoed)
            case .same(let evidence) where !isContradicted:
                return try await container.flaw(in: object, at: key) ?? .present(evidence)
            case .unclear where !isContradicted: return .present(object.size == nil ? .unknown : .size)
            case .same, .unclear, .doubtful: break
            }
            return await presenceStoredAnew(of: item, receipt: receipt)
        } catch {
            return .unknown(error.message)
        }
    }

    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            let (container, key) = try locate(receipt.remoteID)
            guard let object = try await container.object(key, file: nil) else { return .absent }
            guard object.size == nil || object.size == item.size else { return .changed(.size) }
            if let flaw = try await container.flaw(in: object, at: key) { return flaw }
            let digest = try await container.reader(of: key, size: item.size, file: nil).digest()
            guard let digest else {
                return .unknown("“\(receipt.remoteID)” cannot be read back: the server does not hand out its bytes.")
            }
            return digest == item.digests[.sha256] ? .present(.verified) : .changed(.digest)
        } catch  where error.code == SubmitFailure.brokenObjectCode {
            return .changed(.digest)
        } catch {
            return .unknown(error.message)
        }
    }
}

import Foundation
import Submit
import SubmitConcurrency
import SubmitTesting
import TestServers

/// A folder of its own at a fake cloud; in pieces at a cloud that no other uses meanwhile, since all attempts of the suite
/// bear one name.
struct CloudPlace: HTTPContractPlace {
    let place: DAVPlace
    let cloud: CloudServer
    let kind: String
    let ownsCloud: Bool
    private let isFull = Locked(false)

    init(place: DAVPlace, cloud: CloudServer, kind: String, ownsCloud: Bool) {
        self.place = place
        self.cloud = cloud
        self.kind = kind
        self.ownsCloud = ownsCloud
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try place.makeSubmitter() }
    func contents() async throws -> [String: [UInt8]] { try await place.contents() }
    func put(_ bytes: [UInt8], named name: String) async throws {
        try await cloud.put(bytes, as: "\(place.name)/\(name)")
    }
    var checksDigests: Bool { false }
    var wire: FaultyTransport { place.wire }
    /// In pieces nothing may go at a cloud that is shared.
    var partSize: Int64? { place.partSize ?? 96 << 10 }
    var secrets: [String] { place.secrets }

    func leftovers() async throws -> [String] {
        let uploads = ownsCloud ? try FileManager.default.contentsOfDirectory(atPath: cloud.uploads) : []
        return try await place.leftovers() + uploads
    }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        guard fault == .full, ownsCloud else { return try await place.submitter(meeting: fault) }
        let submitter = try makeSubmitter()
        _ = try await submitter.check()
        try await cloud.change(.quota(0))
        isFull.withLock { $0 = true }
        return submitter
    }

    func remove() async {
        await place.remove()
        guard ownsCloud else { return }
        if isFull.withLock({ $0 }) { await cloud.remove() } else { await IdleClouds.giveBack(cloud, kind) }
    }
}

struct CloudHarness: ContractHarness {
    let front: CloudFront
    var inPieces = false

    func makePlace() async throws -> any ContractPlace {
        let kind = front.rawValue
        let cloud = inPieces ? try await IdleClouds.take(kind) { try await front.start() } : try await front.shared()
        return CloudPlace(
            place: DAVPlace(
                access: try cloud.access(), notes: NotesOfNeighbours(kind: kind), inParts: inPieces),
            cloud: cloud, kind: kind, ownsCloud: inPieces)
    }
}

import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import SubmitTransfer
import Testing

@testable import ObjectStorageSubmitter

/// The contract on an object storage in memory, of each manner.
struct FakeStorageHarness: ContractHarness {
    let manner: FakeStorage.Manner
    var inParts = false

    func makePlace() async throws -> any ContractPlace {
        let losesReply = Locked(false)
        let storage = FakeStorage(
            manner,
            after: { sent, answer, _ in
                guard answer.status < 300, sent.storesWhole else { return nil }
                return losesReply.withLock { loses in
                    defer { loses = false }
                    return loses ? .failure(.lost) : nil
                }
            })
        return FakePlace(
            storage: storage, wire: FaultyTransport(storage), losesReply: losesReply, manner: manner, inParts: inParts)
    }
}

private struct FakePlace: HTTPContractPlace {
    let storage: FakeStorage
    let wire: FaultyTransport
    let losesReply: Locked<Bool>
    let manner: FakeStorage.Manner
    let inParts: Bool

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter(storage, wire) }

    private func submitter(
        _ storage: FakeStorage, _ transport: (any HTTPTransport)? = nil
    ) throws(SubmitFailure) -> any Submitter {
        let secrets = ["session_token": FakeStorage.token]
        guard inParts else { return try storage.submitter(secrets: secrets, transport: transport) }
        return try storage.submitter(
            ["parts_above": "1KiB", "part_size": "32KiB"], secrets: secrets, profile: .smallParts, transport: transport)
    }

    func contents() async throws -> [String: [UInt8]] { storage.objects.mapValues(\.bytes) }

    func leftovers() async throws -> [String] { storage.openUploads }

    var bytesTaken: Int64? { storage.taken }
    var partSize: Int64? { inParts ? 32 << 10 : nil }

    func put(_ bytes: [UInt8], named name: String) async throws { storage.put(bytes, at: name) }

    var checksDigests: Bool { manner != .plainSink }

    var secrets: [String] { [FakeStorage.secret, FakeStorage.token] }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        if fault == .losesReply {
            losesReply.withLock { $0 = true }
            return try makeSubmitter()
        }
        let failing = FakeStorage(manner) { sent in
            switch fault {
            case .throttled:
                ["PUT", "POST"].contains(sent.method) ? .success(.error(503, "SlowDown")) : nil
            case .misconfigured:
                .success(sent.method == "HEAD" ? HTTPResponse(status: 404) : .error(404, "NoSuchBucket"))
            case .losesReply: nil
            case .unreachable: .failure(.cannotConnect("Connection refused"))
            case .refusesCredentials:
                .success(
                    sent.method == "HEAD"
                        ? HTTPResponse(status: 403)
                        : .error(403, "InvalidToken", headers: [("x-echo", FakeStorage.token)]))
            case .full: ["PUT", "POST"].contains(sent.method) ? .success(.error(507, "InsufficientStorage")) : nil
            }
        }
        return try submitter(failing)
    }

    func remove() async {}
}

extension FakeStorage.Sent {
    /// An object is complete when this is answered.
    fileprivate var storesWhole: Bool {
        method == "PUT" && url.contains("photo") && !url.contains("partNumber=")
            || method == "POST" && url.contains("uploadId=")
    }
}

extension S3Profile {
    /// Takes parts of any size.
    static var smallParts: S3Profile {
        var profile = S3Profile()
        profile.parts = PartRules(least: 1, most: 5 << 30, count: 10_000)
        return profile
    }

    /// Of which is known, or not, what an abort does to the object that an upload became.
    static func smallParts(abortsTakeObjects: Bool?) -> S3Profile {
        var profile = smallParts
        profile.abortsTakeObjects = abortsTakeObjects
        return profile
    }
}

@Suite struct `The object storage submitter keeps the contract` {
    @Test(arguments: ContractSuite.cases)
    func `with S3`(_ promise: ContractCase) async throws {
        try await promise.run(FakeStorageHarness(manner: .s3), leavingOut: [])
    }

    @Test(arguments: ContractSuite.cases)
    func `with S3 in parts`(_ promise: ContractCase) async throws {
        try await promise.run(FakeStorageHarness(manner: .s3, inParts: true), leavingOut: [])
    }

    @Test(arguments: ContractSuite.cases)
    func `with a server that takes no conditions`(_ promise: ContractCase) async throws {
        try await promise.run(FakeStorageHarness(manner: .withoutConditions), leavingOut: [])
    }

    @Test(arguments: ContractSuite.cases)
    func `with a server that just takes files`(_ promise: ContractCase) async throws {
        try await promise.run(FakeStorageHarness(manner: .plainSink), leavingOut: [.digests, .resuming])
    }
}

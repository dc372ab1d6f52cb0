import Submit
import SubmitHTTP
import SubmitTesting
import Testing

/// The contract on an object storage in memory, of each manner.
struct FakeStorageHarness: ContractHarness {
    let manner: FakeStorage.Manner

    func makePlace() async throws -> any ContractPlace {
        FakePlace(storage: FakeStorage(manner), manner: manner)
    }
}

private struct FakePlace: ContractPlace {
    let storage: FakeStorage
    let manner: FakeStorage.Manner

    func makeSubmitter() throws(SubmitFailure) -> any Submitter {
        try storage.submitter(secrets: ["session_token": FakeStorage.token])
    }

    func contents() async throws -> [String: [UInt8]] { storage.objects.mapValues(\.bytes) }

    func leftovers() async throws -> [String] { [] }

    func put(_ bytes: [UInt8], named name: String) async throws { storage.put(bytes, at: name) }

    var checksDigests: Bool { manner != .plainSink }

    var secrets: [String] { [FakeStorage.secret, FakeStorage.token] }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        let failing = FakeStorage(manner) { sent in
            switch fault {
            case .unreachable: .failure(.cannotConnect("Connection refused"))
            case .refusesCredentials:
                .success(
                    sent.method == "HEAD"
                        ? HTTPResponse(status: 403)
                        : .error(403, "InvalidToken", headers: [("x-echo", FakeStorage.token)]))
            case .full: sent.method == "PUT" ? .success(.error(507, "InsufficientStorage")) : nil
            }
        }
        return try failing.submitter(secrets: ["session_token": FakeStorage.token])
    }

    func remove() async {}
}

@Suite struct `The object storage submitter keeps the contract` {
    @Test(arguments: ContractSuite.cases)
    func `with S3`(_ promise: ContractCase) async throws {
        try await promise.run(FakeStorageHarness(manner: .s3))
    }

    @Test(arguments: ContractSuite.cases)
    func `with a server that takes no conditions`(_ promise: ContractCase) async throws {
        try await promise.run(FakeStorageHarness(manner: .withoutConditions))
    }

    @Test(arguments: ContractSuite.cases)
    func `with a server that just takes files`(_ promise: ContractCase) async throws {
        try await promise.run(FakeStorageHarness(manner: .plainSink))
    }
}

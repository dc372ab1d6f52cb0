import Submit
import SubmitConcurrency

@testable import SubmitTesting

/// Places in memory, whose submitters are told and heard through a plug-in.
struct PlugInHarness: ContractHarness {
    var resumes = false
    /// What is put around each submitter.
    var wrap: @Sendable (InMemorySubmitter) -> any Submitter = { $0 }

    func makePlace() throws -> any ContractPlace {
        try PlugInPlace(InMemoryContractPlace(resumes: resumes, readsFiles: false, wrap: wrap))
    }
}

/// A place in this process, which a host reaches by a program only.
private struct PlugInPlace: ContractPlace {
    private let inner: any ContractPlace
    private let plugIn: PlugIn

    init(_ inner: InMemoryContractPlace) throws {
        self.inner = inner
        plugIn = try PlugIn { Served(submitter: inner.makeSubmitter()) }
    }

    func makeSubmitter() async throws(SubmitFailure) -> any Submitter {
        try await plugIn.submitter(secret: InMemoryHarness.secret)
    }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        guard try await inner.submitter(meeting: fault) != nil else { return nil }
        return try await makeSubmitter()
    }

    func submitter(meeting fault: ContractFault, atRequest number: Int) async throws -> (any Submitter)? {
        guard try await inner.submitter(meeting: fault, atRequest: number) != nil else { return nil }
        return try await makeSubmitter()
    }

    func contents() async throws -> [String: [UInt8]] { try await inner.contents() }
    func leftovers() async throws -> [String] { try await inner.leftovers() }
    func put(_ bytes: [UInt8], named name: String) async throws { try await inner.put(bytes, named: name) }
    func endFault() async throws { try await inner.endFault() }
    func remove() { plugIn.end() }
    var checksDigests: Bool { inner.checksDigests }
    var secrets: [String] { inner.secrets }
    var hasMetFault: Bool { inner.hasMetFault }
    var bytesTaken: Int64? { inner.bytesTaken }
    var widest: Int? { inner.widest }
    var partSize: Int64? { inner.partSize }
}

/// A submitter in memory as a plug-in has it: on threads of its own, and with receipts that a host takes.
private struct Served: Submitter {
    let submitter: any Submitter

    var capabilities: Capabilities { submitter.capabilities }
    var facets: Facets { submitter.facets }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let outcome = await withTaskExecutorPreference(BlockingThreads.sources) {
            await Result { () async throws(SubmitFailure) in
                try await submitter.submit(item, bytes: bytes, context: context)
            }
        }
        var receipt = try outcome.get()
        // Memory has no URL that a browser knows.
        if receipt.url?.hasPrefix("memory:") == true { receipt.url = nil }
        return receipt
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await submitter.discard(item, context: context)
    }

    func check() async throws(SubmitFailure) -> String { try await submitter.check() }
}

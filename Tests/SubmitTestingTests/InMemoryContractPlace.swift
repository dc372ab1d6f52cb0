import Submit
import SubmitTesting

/// Makes places in memory, for submitters that keep the contract or break it.
struct InMemoryHarness: ContractHarness {
    static let secret = "hunter2-of-the-place"

    var resumes = false
    var readsFiles = false
    /// What is put around each submitter.
    var wrap: @Sendable (InMemorySubmitter) -> any Submitter = { $0 }

    func makePlace() -> any ContractPlace {
        InMemoryContractPlace(resumes: resumes, readsFiles: readsFiles, wrap: wrap)
    }
}

private struct InMemoryContractPlace: ContractPlace {
    let resumes: Bool
    let readsFiles: Bool
    let wrap: @Sendable (InMemorySubmitter) -> any Submitter
    let place = InMemoryPlace()
    let checksDigests = true
    let secrets = [InMemoryHarness.secret]

    func makeSubmitter() -> any Submitter {
        wrap(
            InMemorySubmitter(
                place,
                capabilities: resumes ? InMemorySubmitter.resumingCapabilities : InMemorySubmitter.capabilities))
    }

    func contents() -> [String: [UInt8]] { place.contents }
    func leftovers() -> [String] { place.uploads }
    func put(_ bytes: [UInt8], named name: String) { place.put(bytes, as: name) }
    func remove() {}
    var bytesTaken: Int64? { place.bytesTaken }
    var widest: Int? { place.widest }
    var partSize: Int64? { Int64(InMemorySubmitter.partSize) }

    func submitter(meeting fault: ContractFault) -> (any Submitter)? {
        func outage(_ remedy: Remedy) {
            place.outage = SubmitFailure(remedy, code: "scripted", "The place was told to be \(fault).")
        }
        switch fault {
        case .unreachable: outage(.park(.unreachable, afterMilliseconds: nil))
        case .refusesCredentials: outage(.renewCredentials)
        case .full: outage(.park(.full, afterMilliseconds: nil))
        case .throttled: outage(.park(.throttled, afterMilliseconds: nil))
        case .misconfigured: outage(.park(.misconfigured, afterMilliseconds: nil))
        case .losesReply:
            place.script = { [place] moment, _, _ in
                guard moment == .afterStoring else { return .success(()) }
                place.script = nil
                return .failure(
                    SubmitFailure(.retry(afterMilliseconds: nil), code: "lost", "The answer was lost: try again."))
            }
        }
        return makeSubmitter()
    }
}

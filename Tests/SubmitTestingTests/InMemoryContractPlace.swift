import Submit
import SubmitConcurrency
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

struct InMemoryContractPlace: ContractPlace {
    let resumes: Bool
    let readsFiles: Bool
    let wrap: @Sendable (InMemorySubmitter) -> any Submitter
    var place = InMemoryPlace()
    private let met = Locked(false)
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
        guard fault == .losesReply else {
            place.outage = Self.failure(of: fault)
            return makeSubmitter()
        }
        place.script = { [place] moment, _, _ in
            guard moment == .afterStoring else { return .success(()) }
            place.script = nil
            return .failure(Self.failure(of: fault))
        }
        return makeSubmitter()
    }

    /// What it asks its script is taken for its requests.
    func submitter(meeting fault: ContractFault, atRequest number: Int) -> (any Submitter)? {
        let count = Locked(0)
        met.withLock { $0 = false }
        place.script = { [met] moment, _, _ in
            if moment == .discarding { return .success(()) }
            let passed = count.withLock { count in
                count += 1
                return count - 1
            }
            guard passed == number || passed > number && fault != .losesReply else { return .success(()) }
            met.withLock { $0 = true }
            return .failure(Self.failure(of: fault))
        }
        return makeSubmitter()
    }

    var hasMetFault: Bool { met.withLock { $0 } }

    func endFault() { (place.script, place.outage) = (nil, nil) }

    private static func failure(of fault: ContractFault) -> SubmitFailure {
        let remedy: Remedy =
            switch fault {
            case .unreachable: .hold(.unreachable, after: nil)
            case .refusesCredentials: .renewCredentials
            case .full: .hold(.full, after: nil)
            case .throttled: .hold(.throttled, after: nil)
            case .misconfigured: .hold(.misconfigured, after: nil)
            case .losesReply: .retry(after: nil)
            }
        return SubmitFailure(remedy, code: "scripted", message: "The place was told to be \(fault): end that.")
    }
}

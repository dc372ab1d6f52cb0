import Submit
import SubmitTesting
import TestServers
import Testing

/// The contract, and its teeth, where the submitter is another program's: all that is told and heard goes through the
/// host, a process and the protocol.
@Suite(.timeLimit(.minutes(10))) struct PlugInContractTests {
    @Test(arguments: ContractSuite.cases)
    func `the contract holds in memory through a plug-in`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(PlugInHarness(resumes: true))
    }

    /// Version 1 of the protocol hands on no address to repair at.
    @Test(arguments: BrokenSubmitter.all.filter { $0.testDescription != "repairs under the item's own name" })
    func `through a plug-in, the contract catches a submitter that`(_ broken: BrokenSubmitter) async throws {
        let harness = PlugInHarness(resumes: broken.resumes, wrap: broken.wrap)
        for promise in ContractSuite.cases where broken.promises.contains(promise.id) {
            let verdict = try await Verdict(promise, harness)
            switch broken.throughPlugIn {
            case .passes: #expect(verdict == .caught, "\(promise)")
            case .isRefused: #expect(verdict == .refused, "\(promise)")
            case .isMended:
                #expect(verdict == .kept, "\(promise)")
                let bare = try await Verdict(promise, InMemoryHarness(resumes: broken.resumes, wrap: broken.wrap))
                #expect(bare == .caught, "\(promise), where no plug-in is")
            }
        }
        // Two of the others, whose promises break one or none of these: all of them take minutes.
        for promise in ContractSuite.cases where Self.others.subtracting(broken.promises).contains(promise.id) {
            let verdict = try await Verdict(promise, harness)
            #expect(verdict == .kept || verdict == .refused && broken.throughPlugIn == .isRefused, "\(promise)")
        }
    }

    private static let others: Set = [
        "check-leaves-nothing", "size-65536",
    ]

    @Test func `what is refused or mended on the way is a fault of a submitter here`() {
        let faults = Set(BrokenSubmitter.all.map(\.fault))
        #expect(faults.isSuperset(of: BrokenSubmitter.refused.keys))
        #expect(faults.isSuperset(of: BrokenSubmitter.mended.keys))
    }

    @Test func `the other promises that are tried are promises`() {
        #expect(Self.others.isSubset(of: Set(ContractSuite.cases.map(\.id))))
    }
}

/// What came of a promise.
private enum Verdict: Hashable {
    case kept
    case caught
    /// The host did not take what the program said.
    case refused

    /// - Throws: when it could not be tried.
    init(_ promise: ContractCase, _ harness: some ContractHarness) async throws {
        do {
            let outcome = try await promise.outcomeInTurn(harness)
            if case .notTried(let why) = outcome { throw why }
            self = .kept
        } catch let reason as NotTried {
            throw reason
        } catch let failure as SubmitFailure where failure.code == "submitter-misbehaved" {
            self = .refused
        } catch {
            self = .caught
        }
    }
}

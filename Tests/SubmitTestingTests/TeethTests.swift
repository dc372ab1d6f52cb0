import Submit
import SubmitTesting
import Testing

/// The suite has teeth: each submitter that breaks one promise is caught by the cases that name it, and by no other.
@Suite struct TeethTests {
    @Test(arguments: BrokenSubmitter.all)
    func `the contract catches a submitter that`(_ broken: BrokenSubmitter) async throws {
        let harness = InMemoryHarness(resumes: broken.resumes, wrap: broken.wrap)
        var caught: Set<String> = []
        for promise in ContractSuite.cases {
            do {
                _ = try await promise.run(harness)
            } catch {
                caught.insert(promise.id)
            }
        }
        #expect(caught == broken.promises)
    }

    @Test func `every submitter here breaks a promise that there is`() {
        let names = Set(ContractSuite.cases.map(\.id))
        for broken in BrokenSubmitter.all { #expect(broken.promises.isSubset(of: names), "\(broken)") }
    }

    @Test func `every promise is broken by a submitter here`() {
        let caught = Set(BrokenSubmitter.all.flatMap(\.promises))
        #expect(ContractSuite.cases.map(\.id).filter { !caught.contains($0) } == [])
    }
}

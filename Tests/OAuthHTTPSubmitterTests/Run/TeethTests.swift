import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A service, or its recipe, that is sound but for one thing.
struct PlantedFault: Sendable, CustomTestStringConvertible {
    /// Ends the sentence “a service that …”.
    let fault: String
    /// The cases that must catch it, and no others.
    let promises: Set<String>
    var isSession = false
    /// What is written in the recipe, and what in its place.
    var edit: (String, String)?
    var wrong: Store.Wrong = { _, _, _ in nil }
    var keepsBroken: @Sendable ([UInt8], inout Store.State) -> Void = { _, _ in }

    var testDescription: String { fault }
}

private struct PlantedHarness: ContractHarness {
    let planted: PlantedFault

    func makePlace() async throws -> any ContractPlace {
        var text = Store.recipe(isSession: planted.isSession)
        if let (old, new) = planted.edit {
            try #require(text.contains(old))
            text = text.replacing(old, with: new)
        }
        return StorePlace(
            store: Store(wrong: planted.wrong, keepsBroken: planted.keepsBroken),
            recipe: try Recipe(text: text, path: "store.yaml"))
    }
}

/// The contract has teeth at recipes: each planted fault is caught by the cases that name it, and by no other.
///
/// Not planted here: what is the program's own and no recipe can say (progress, cancelling, descriptions, “cannot be
/// reached” as “not there”); what lint refuses (secrets outside `auth`); what needs a name that is a place (all about
/// other bytes with the name); how many are on their way at once, which the engine holds to; and what `discard` leaves,
/// since recipes take nothing back.
@Suite struct `The contract at recipes` {
    @Test(arguments: PlantedFault.all)
    func `catches a service that`(_ planted: PlantedFault) async throws {
        let harness = PlantedHarness(planted: planted)
        var caught: Set<String> = []
        for promise in ContractSuite.cases {
            do {
                _ = try await promise.run(harness)
            } catch {
                caught.insert(promise.id)
            }
        }
        #expect(caught == planted.promises)
    }
}

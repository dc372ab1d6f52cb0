internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

@testable internal import ObjectStorageSubmitter

/// Does all that is done with an answer of OpenStack's identity service and object store.
func fuzzSwift(_ bytes: [UInt8]) {
    let answer = HTTPResponse(fuzzed: bytes)
    if let token = KeystoneToken(answer.body) {
        for interface in SignIn.Interface.allCases {
            for region in [nil, "RegionOne"] {
                _ = try? token.catalogue?.objectStore(region: region, interface: interface)
            }
        }
    }
    cut(SwiftInfo(answer.body))
    let outcome = ManifestOutcome(answer)
    precondition(outcome.answer.status == answer.status || answer.status == 202)
    _ = try? JSONDecoder().decode([SwiftContainer.Entry].self, from: Data(answer.body))
}

/// Files are cut as the cluster wants, into parts that make up the whole.
private func cut(_ info: SwiftInfo) {
    guard let rules = info.segments else { return }
    _ = rules.mostBytes
    for size in [1, 5 << 20, 1 << 40] as [Int64] {
        for wanted in [nil, 1 << 20] as [Int64?] {
            guard let plan = rules.plan(size: size, wanted: wanted) else { continue }
            precondition(plan.partSize > 0 && plan.count >= 1 && plan.range(plan.count).upperBound == size)
        }
    }
}

import SubmitTransfer
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `What a cluster says of itself` {
    /// Whatever it says, files are cut into parts that make up the whole, or not at all.
    @Test(arguments: [
        #"{"swift": {"max_file_size": 9223372036854775807}, "slo": {"min_segment_size": 9223372036854775807}}"#,
        #"{"swift": {"max_file_size": 0}, "slo": {}}"#, #"{"swift": {"max_file_size": -1}, "slo": {}}"#,
        #"{"swift": {}, "slo": {"max_manifest_segments": 9223372036854775807}}"#,
        #"{"swift": {}, "slo": {"max_manifest_segments": -9223372036854775808, "min_segment_size": -5}}"#,
        #"{"swift": {"max_file_size": 5}, "slo": {"min_segment_size": 10}}"#,
    ])
    func `lets no file be cut into nothing`(_ body: String) throws {
        let info = SwiftInfo(Array(body.utf8))
        let rules = try #require(info.segments)
        #expect(info.largestObject > 0 && rules.mostBytes > 0)
        for size in [1, 100 << 20, 1 << 40] as [Int64] {
            for wanted in [nil, 64 << 20] as [Int64?] {
                guard let plan = rules.plan(size: size, wanted: wanted) else { continue }
                #expect(plan.partSize > 0 && plan.partSize <= info.largestObject)
                #expect(plan.count >= 1 && plan.range(plan.count).upperBound == size)
            }
        }
    }
}

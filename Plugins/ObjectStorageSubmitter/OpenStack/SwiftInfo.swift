internal import FoundationEssentials
internal import SubmitTransfer

/// What a cluster says of itself at `/info` ("Discoverability" in the OpenStack Swift documentation), or what it has by
/// default.
struct SwiftInfo: Sendable, Hashable {
    /// It said something; what is by default may be otherwise.
    private(set) var isTold = false
    /// The largest object that is not made of segments, in bytes.
    var largestObject: Int64 = 5_368_709_122
    /// What it takes as segments; `nil` where it knows no static large objects.
    var segments: PartRules? = PartRules(least: 1, most: 5_368_709_122, count: 1000)
    /// The digests that temporary URLs may be signed with; empty where it has none.
    var temporaryURLDigests: Set<String> = ["sha1", "sha256", "sha512"]

    init() {}

    /// What it says nothing of is as by default.
    init(_ body: [UInt8]) {
        self.init()
        guard let told = try? JSONDecoder().decode(Told.self, from: Data(body)), let swift = told.swift else { return }
        isTold = true
        // What is no size says nothing, and what is beyond all disks is not reckoned with.
        largestObject = swift.max_file_size.flatMap { $0 > 0 ? min($0, 1 << 60) : nil } ?? largestObject
        segments = told.slo.map {
            PartRules(
                least: min(max(1, $0.min_segment_size ?? 1), largestObject), most: largestObject,
                count: min(max(1, $0.max_manifest_segments ?? 1000), 1_000_000))
        }
        temporaryURLDigests = told.tempurl.map { Set($0.allowed_digests ?? ["sha1"]) } ?? []
    }

    // The names are the cluster's.
    private struct Told: Decodable {
        struct Swift: Decodable { var max_file_size: Int64? }
        struct SLO: Decodable {
            var max_manifest_segments: Int?
            var min_segment_size: Int64?
        }
        struct TempURL: Decodable { var allowed_digests: [String]? }

        var swift: Swift?
        var slo: SLO?
        var tempurl: TempURL?
    }
}

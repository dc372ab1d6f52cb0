import Submit
import SubmitHTTP
import SubmitTesting
import TestServers

@testable import ObjectStorageSubmitter

/// What only a cluster of OpenStack Swift does, at one request.
enum SwiftTrouble: String, Sendable, CaseIterable {
    /// All tokens end before their time.
    case tokensEnd
    /// 498 without `Retry-After` (middleware/ratelimit.py:262-296), 497 (the same), 408.
    case slowDown, blacklisted, timeOut
    /// 413 to a PUT (middleware/container_quotas.py:27-30).
    case quota
    /// Someone removes a segment.
    case losesSegment
    /// Someone stores under the first name.
    case rival

    /// As Swift.
    static func text(_ troubles: [Int: SwiftTrouble]) -> String {
        let all = troubles.sorted { $0.key < $1.key }.map { "\($0.key): .\($0.value.rawValue)" }
        return "[\(all.isEmpty ? ":" : all.joined(separator: ", "))]"
    }
}

/// An account of OpenStack Swift of drawn manners, by its own API.
struct SwiftWorld: DrawnWorld {
    var quirks: Set<FakeSwift.Quirk> = []
    var canReadBack = false
    var errand: WorldErrand
    /// Objects of others, by key; each has bytes of its own.
    var theirs: [String] = []
    /// And they are in segments, named as swiftclient does.
    var theirsAreLarge = false
    var troubles: [Int: WorldTrouble] = [:]
    /// By the number of the request that reaches the cluster.
    var clusterTroubles: [Int: SwiftTrouble] = [:]

    /// By which a cluster makes other bytes of what it was given.
    private static let lies: Set<FakeSwift.Quirk> = [.damagesOnce]

    /// Of these nobody is told which segments there are.
    private static let leaving: Set<FakeSwift.Quirk> = [.repeatsPages, .listingsLag, .keepsSegments]

    /// By these items cannot be stored.
    private static let forbidding: Set<FakeSwift.Quirk> = [.refusesNames]

    /// Of these no cluster has two.
    private static let excluding: [[FakeSwift.Quirk]] = [
        // Where looks are stale and conditions ignored nobody can know what is replaced.
        [.ignoresConditions, .storesAnd503], [.ignoresConditions, .headsLag], [.damagesOnce, .namesNoETags],
        [.noSegments, .trustsManifests, .shakyHeads, .emptyManifests],
    ]

    private static let names = [
        "a.jpg", "b.jpg", "A.JPG", "ocean?.jpg", "sea;1.jpg", "Mum's.jpg", "100%.jpg", "%41.jpg", "#1.jpg", "a b.jpg",
        "a+b.jpg", "\u{e9}.jpg", "new\nline.jpg", "🌅.jpg", "a-1.jpg", String(repeating: "x", count: 200) + ".jpg",
    ]

    static func drawn(_ seed: UInt64) -> SwiftWorld {
        var numbers = SeededNumbers(seed: seed)
        let names = names.shuffled(using: &numbers)
        var world = SwiftWorld(errand: .drawn(names, sizes: [1, 300, 5000, 100_000], &numbers))
        for quirk in FakeSwift.Quirk.allCases.shuffled(using: &numbers).prefix(.random(in: 0...3, using: &numbers)) {
            let isExcluded = excluding.contains { $0.contains(quirk) && $0.contains(where: world.quirks.contains) }
            if !isExcluded { world.quirks.insert(quirk) }
        }
        world.canReadBack = .random(using: &numbers)
        for name in names.prefix(4) where Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append(name) }
        world.theirsAreLarge = .random(using: &numbers)
        // Nothing is locked by this protocol.
        world.troubles = WorldTrouble.drawn(in: 0..<70, &numbers).filter { $0.value != .status423 }
        for _ in 0..<Int.random(in: 0...2, using: &numbers) {
            let number = Int.random(in: 0..<70, using: &numbers)
            world.clusterTroubles[number] = SwiftTrouble.allCases.randomElement(using: &numbers)
        }
        // Who comes in the moment between a look and a PUT is replaced where conditions are ignored.
        if world.quirks.contains(.ignoresConditions) {
            world.clusterTroubles = world.clusterTroubles.filter { $0.value != .rival }
        }
        return world
    }

    var smaller: [SwiftWorld] {
        var all = FakeSwift.Quirk.allCases.flatMap { quirk in changed { $0.quirks.remove(quirk) } }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        all += clusterTroubles.keys.sorted().flatMap { number in changed { $0.clusterTroubles[number] = nil } }
        all += theirs.indices.flatMap { index in changed { $0.theirs.remove(at: index) } }
        all += errand.smaller.flatMap { errand in changed { $0.errand = errand } }
        return all + changed { $0.canReadBack = false } + changed { $0.theirsAreLarge = false }
    }

    func run() async throws -> [String] {
        let swift = FakeSwift(quirks)
        swift.change { state in
            (state.troubles, state.rivalKey) = (clusterTroubles, errand.items.first?.name ?? "")
        }
        if quirks.contains(.noSegments) { swift.change { $0.info.body = Array(#"{"swift": {}}"#.utf8) } }
        for (index, key) in theirs.enumerated() { put(index, key, into: swift) }
        let wire = WorldWire(swift, troubles)
        var settings = ["parts_above": "1KiB", "part_size": "32KiB"]
        if canReadBack { settings["verify"] = "readback" }
        let ends = try await errand.run(over: wire, later: swift.settle) { [settings] process in
            try swift.submitter(settings, transport: process)
        }
        let (copies, before) = (Self.tree(swift.objects), Self.tree(swift.theirs))
        let isHonest = quirks.isDisjoint(with: Self.lies)
        var complaints =
            errand.complaints(theirs: before, copies: copies, isHonest: isHonest) { copies[Array($0.utf8)] }
            + errand.complaints(about: ends, copies: copies, isHonest: isHonest, over: wire) { copies[Array($0.utf8)] }
        if isHonest {
            complaints += errand.complaints(aboutOthersIn: copies, before: before)
            swift.settle()
            swift.change { $0.troubles = [:] }
            if quirks.isDisjoint(with: Self.forbidding) { complaints += errand.complaints(aboutGivingUp: ends) }
            complaints += try await self.complaints(aboutLeftoversOf: swift)
            let auditor = try swift.submitter(settings)
            complaints += await errand.complaints(auditing: ends, by: auditor) { copies[Array($0.utf8)] }
        }
        return complaints
    }

    private func complaints(aboutLeftoversOf swift: FakeSwift) async throws -> [String] {
        let tells = quirks.isDisjoint(with: Self.leaving) && !quirks.isSuperset(of: [.emptyManifests, .namesNoETags])
        guard tells else { return [] }
        // Those of a copy that was replaced are looked for when the next is there: whoever dies before leaves them to a
        // cleanup.
        if errand.policy == .overwrite, let facet = try swift.submitter().facets.leftovers {
            for _ in 0..<5 {
                do throws(SubmitFailure) {
                    for leftover in try await facet.list(sparing: []) { try await facet.remove(leftover) }
                    break
                } catch {}
            }
        }
        let leftovers = swift.leftovers.filter { SegmentGroup($0) != nil }
        return leftovers.isEmpty ? [] : ["left over: \(leftovers)"]
    }

    private func put(_ index: Int, _ key: String, into swift: FakeSwift) {
        let bytes = ScriptedBytes.content(count: 150 + index, seed: UInt64(1000 + index))
        swift.change { state in
            state.theirs[key] = bytes
            guard theirsAreLarge else {
                state.containers["photos"]?[key] = FakeSwift.Object(bytes: bytes)
                return
            }
            let segments = [bytes.prefix(100), bytes.dropFirst(100)].map { FakeSwift.Object(bytes: Array($0)) }
            let names = segments.indices.map { "\(key)/slo/1763900000.123456/\(bytes.count)/100/0000000\($0)" }
            for (name, segment) in zip(names, segments) {
                state.containers["photos_segments", default: [:]][name] = segment
            }
            state.containers["photos"]?[key] = FakeSwift.Object(
                bytes: [], segments: names.map { "/photos_segments/\($0)" },
                listed: segments.map { .init(etag: $0.bytes.md5, bytes: $0.bytes.count) })
        }
    }

    private static func tree(_ objects: [String: [UInt8]]) -> [[UInt8]: [UInt8]] {
        Dictionary(objects.map { (Array($0.key.utf8), $0.value) }) { $1 }
    }

    var description: String {
        let quirks = quirks.map { ".\($0)" }.sorted().joined(separator: ", ")
        return "SwiftWorld(quirks: [\(quirks)], canReadBack: \(canReadBack), errand: \(errand), theirs: \(theirs), "
            + "theirsAreLarge: \(theirsAreLarge), troubles: \(WorldTrouble.text(troubles)), "
            + "clusterTroubles: \(SwiftTrouble.text(clusterTroubles)))"
    }
}

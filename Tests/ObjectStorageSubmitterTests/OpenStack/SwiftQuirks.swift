import Submit
import SubmitHTTP

@testable import ObjectStorageSubmitter

extension FakeSwift {
    /// In what a cluster differs from OpenStack's own, or what of that is rarely seen. Paths without another name are of
    /// openstack/swift d57c078ef.
    enum Quirk: String, Sendable, Hashable, CaseIterable {
        /// ProxyFS (docs/source/api/index.rst, NVIDIA/proxyfs#191); Ceph's gateway up to Octopus (rgw_rest_swift.cc).
        case ignoresConditions
        /// Stores what comes, whatever MD5 was announced, and the first segment of each number damaged. No server is known
        /// to; what stands before it may (swiftstack/1space#64).
        case damagesOnce
        /// Ceph's gateway where the attribute is missing (rgw_rest_swift.cc, `send_response_data`).
        case namesNoETags
        /// Knows no manifests: clusters without the filter `slo`, Oracle ZFS Appliance.
        case noSegments
        /// Hands out the first page whatever it is asked for. No server is known to.
        case repeatsPages
        /// Answers 200 and nothing where a manifest is asked for: Ceph's gateway (ceph/ceph#70699).
        case emptyManifests
        /// Ranges come with the status 200 and `Content-Range`: Ceph's gateway (`send_response_data`).
        case rangesWith200
        /// Answers a range with everything, as RFC 9110, section 14.2 allows. No server is known to.
        case ignoresRange
        /// Says nothing of itself: OpenStack Swift with `expose_info = false` (proxy/controllers/info.py).
        case hidesInfo
        /// ETags of whole objects have quotes too: the filter `etag-quoter` (middleware/etag_quoter.py).
        case quotesETags
        /// A proxy whose clock is behind: a PUT that is older than what is there, or than its removal, stores nothing and is
        /// answered 202, a DELETE 409 (proxy/controllers/obj.py:726-743, obj/server.py:858-877, 1318-1323).
        case lateClock
        /// The first PUT of a name is answered 503, and shows a while later: fewer nodes than the quorum took it
        /// (proxy/controllers/obj.py:1127-1163).
        case storesAnd503
        /// What was stored shows a while later: OpenStack's API reference, "may return stale data".
        case headsLag
        /// What was stored is listed a while later: obj/server.py:280-360, ovh/public-cloud-roadmap#286.
        case listingsLag
        /// What was removed stays listed for a while, or until it is removed again: as above, and obj/server.py:1310-1375.
        case listsGhosts
        /// The check of a manifest does not reach a segment that is there: middleware/slo.py:1392-1409, 1521-1535.
        case shakyHeads
        /// Refuses names with `'`, `"`, a backquote, `<` or `>`, and paths of more than 255 bytes:
        /// middleware/name_check.py:43-51.
        case refusesNames
        /// Lists fewer than 10,000 at once, and says 412 to who asks for more: request_helpers.py:135-142, Ceph's gateway.
        case listsLess
        /// Takes manifests without a heartbeat, looks only that their segments are there and as large, and says no more than
        /// 404 or 400 otherwise: Ceph's gateway (`update_slo_segment_size`).
        case trustsManifests
        /// Removes the manifest of an object, not its segments, and says 200: Ceph's gateway (`bulkdelete_respond`).
        case keepsSegments
        /// 500 for what is not there: StorageGRID while a node is away (docs.netapp.com, "Implementing Swift REST API").
        case absentIs500
        /// 429 to whoever reads an object, for hours: OVH Cloud Archive until it is unsealed (rclone#3041, ncw/swift#140).
        case sealed
        /// What a DELETE removes has the version before it: middleware/versioned_writes/legacy.py.
        case oldComesBack
    }
}

/// What not all nodes of a cluster know yet.
struct SwiftNodes: Sendable {
    /// By path: the request from which on an object shows, or is listed.
    var shows: [String: Int] = [:]
    var isListed: [String: Int] = [:]
    /// Those that were removed and are listed, until the request of this number.
    var ghosts: [String: (object: FakeSwift.Object, until: Int)] = [:]
    /// Of the last change, by path.
    var stamps: [String: Int] = [:]
    /// What went wrong once and does not any more.
    var once: Set<String> = []
    /// What lasts for hours is over.
    var hasTimePassed = false
    private var lastChange = 0

    /// For so many requests.
    static let lag = 9

    /// When a change is made, by the clock of the proxy that makes it.
    mutating func stamp(_ isLate: Bool) -> Int {
        lastChange += 1
        return isLate && lastChange.isMultiple(of: 3) ? lastChange - 8 : lastChange
    }
}

extension FakeSwift {
    /// Time passes, in which all nodes learn what there is.
    func settle() {
        change {
            ($0.nodes.shows, $0.nodes.isListed, $0.nodes.ghosts) = ([:], [:], [:])
            $0.nodes.hasTimePassed = true
        }
    }

    /// What comes between; the answer where it is one.
    static func meet(_ trouble: SwiftTrouble?, _ sent: Sent, _ state: inout State) -> HTTPResponse? {
        switch trouble {
        case nil: return nil
        case .tokensEnd: state.good = []
        case .slowDown: return HTTPResponse(status: 498, body: Array("Slow down".utf8))
        case .blacklisted: return HTTPResponse(status: 497, body: Array("Your account has been blacklisted".utf8))
        case .timeOut: return HTTPResponse(status: 408)
        case .quota:
            return sent.method == "PUT" ? HTTPResponse(status: 413, body: Array("Upload exceeds quota.".utf8)) : nil
        case .losesSegment:
            let lost = unused(state).last { SegmentGroup($0) != nil }
            if let lost { state.containers["photos_segments"]?[lost] = nil }
        case .rival:
            let key = state.rivalKey
            guard place(sent)?.key.isEmpty == false, state.containers["photos"]?[key] == nil else { return nil }
            state.theirs[key] = [1, 2, 3]
            state.containers["photos"]?[key] = Object(bytes: [1, 2, 3])
        }
        return nil
    }

    /// What a cluster of these manners answers before it looks at what is asked; `nil` for nothing of its own.
    static func manneredAnswer(
        _ sent: Sent, _ container: String, _ key: String, _ query: [String: String], _ state: State
    ) -> HTTPResponse? {
        let path = "\(container)/\(key)"
        if state.quirks.contains(.refusesNames), !key.isEmpty,
            path.contains(where: { "'\"`<>".contains($0) }) || path.utf8.count + "/v1/AUTH_1/".utf8.count > 255
        {
            return HTTPResponse(status: 400, body: Array("Object/Container/Account name contains forbidden chars".utf8))
        }
        let isTooLong = query["limit"].flatMap { Int($0) } ?? 0 > 100
        if state.quirks.contains(.listsLess), key.isEmpty, sent.method == "GET", isTooLong {
            return HTTPResponse(status: 412, body: Array("Maximum limit is 100".utf8))
        }
        guard !key.isEmpty, ["HEAD", "GET"].contains(sent.method) else { return nil }
        let isAway = state.quirks.contains(.absentIs500) && !state.nodes.hasTimePassed
        let isThere = state.containers[container]?[key] != nil && state.nodes.shows[path] ?? 0 <= state.sent.count
        if !isThere { return HTTPResponse(status: isAway ? 500 : 404) }
        if state.quirks.contains(.sealed), !state.nodes.hasTimePassed, sent["range"] != nil {
            return HTTPResponse(status: 429, headers: [("Retry-After", "14400")])
        }
        return nil
    }

    /// Whether a change comes too late, by the clock of the proxy that makes it.
    static func isLate(_ path: String, _ state: inout State) -> Bool {
        let stamp = state.nodes.stamp(state.quirks.contains(.lateClock))
        if state.quirks.contains(.lateClock), stamp <= state.nodes.stamps[path] ?? .min { return true }
        state.nodes.stamps[path] = stamp
        return false
    }

    /// What becomes of an answer about an object that was stored.
    static func mannered(_ answer: HTTPResponse, storedAt path: String, _ state: inout State) -> HTTPResponse {
        let later = state.sent.count + SwiftNodes.lag
        state.nodes.ghosts[path] = nil
        if state.quirks.contains(.listingsLag) { state.nodes.isListed[path] = later }
        if state.quirks.contains(.headsLag), state.nodes.shows[path] == nil { state.nodes.shows[path] = later }
        guard state.quirks.contains(.storesAnd503), state.nodes.once.insert("503 " + path).inserted else {
            return answer
        }
        state.nodes.shows[path] = later
        return HTTPResponse(status: 503)
    }

    /// Removes an object, as a cluster of these manners does.
    static func remove(_ container: String, _ key: String, _ state: inout State) {
        guard let object = state.containers[container]?.removeValue(forKey: key) else { return }
        let path = "\(container)/\(key)"
        if state.quirks.contains(.listsGhosts) {
            state.nodes.ghosts[path] = (object, state.sent.count + SwiftNodes.lag)
        }
        if state.quirks.contains(.oldComesBack) { state.containers[container]?[key] = state.versions[path]?.popLast() }
    }

    /// What a container's listings show.
    static func listed(_ container: String, _ state: State) -> [String: Object]? {
        guard var objects = state.containers[container] else { return nil }
        for (path, ghost) in state.nodes.ghosts where path.hasPrefix(container + "/") && ghost.until > state.sent.count
        {
            let key = String(path.dropFirst(container.count + 1))
            objects[key] = objects[key] ?? ghost.object
        }
        return objects.filter {
            !state.unlisted.contains($0.key) && state.nodes.isListed["\(container)/\($0.key)"] ?? 0 <= state.sent.count
        }
    }
}

internal import SubmitHTTP

/// Of requests to one server of which none is under way, the first goes alone until its connection is there. Whether
/// that can be shared, as by HTTP/2, is known then, and the others need no connection of their own; what was agreed on
/// for it makes the next ones cheaper otherwise.
///
/// It is done anew where nothing is under way, as the connections may be gone by then. One that finds nobody holds the
/// others up as long as a connection may take to make, once.
struct Scouts {
    /// Where a connection leads, and on what terms: requests of different ones share none.
    private struct Route: Hashable {
        let origin: Substring
        let certificate: String?
        let authority: String?
        let trustsDirectory: Bool
    }

    private struct Party {
        /// It goes alone; `nil` once its connection is there, or it ended without one.
        var scout: Transfer?
        var waiting: [Transfer] = []
        /// How many are under way.
        var count = 1
    }

    private var parties: [Route: Party] = [:]
    private var scouting: Set<Route> = []

    /// False where it has to wait; ``takeReleased()`` has it when it need not any more.
    mutating func mayGo(_ transfer: Transfer) -> Bool {
        guard let route = Self.route(transfer) else { return true }
        guard parties[route] != nil else {
            parties[route] = Party(scout: transfer)
            scouting.insert(route)
            return true
        }
        if parties[route]?.scout == nil {
            parties[route]?.count += 1
            return true
        }
        parties[route]?.waiting.append(transfer)
        return false
    }

    /// Has to be told of each that was let go.
    mutating func ended(_ transfer: Transfer) {
        guard let route = Self.route(transfer), parties[route] != nil else { return }
        parties[route]?.count -= 1
        if parties[route]?.scout === transfer { parties[route]?.scout = nil }
        if parties[route]?.count == 0, parties[route]?.waiting.isEmpty == true { parties[route] = nil }
    }

    /// Takes one out that waits; false where it does not.
    mutating func remove(_ transfer: Transfer) -> Bool {
        guard let route = Self.route(transfer), let index = parties[route]?.waiting.firstIndex(where: { $0 === transfer })
        else { return false }
        parties[route]?.waiting.remove(at: index)
        return true
    }

    /// Those that need not wait any more. They count as under way.
    mutating func takeReleased() -> [Transfer] {
        var released: [Transfer] = []
        for route in scouting where parties[route]?.scout?.hasConnection ?? true {
            scouting.remove(route)
            guard var party = parties[route] else { continue }
            released += party.waiting
            party.count += party.waiting.count
            (party.scout, party.waiting) = (nil, [])
            parties[route] = party
        }
        return released
    }

    /// All that wait.
    mutating func takeAll() -> [Transfer] {
        defer { (parties, scouting) = ([:], []) }
        return parties.values.flatMap(\.waiting)
    }

    /// `nil` for what shares nothing.
    private static func route(_ transfer: Transfer) -> Route? {
        guard transfer.mayBeMultiplexed, !transfer.isFirst else { return nil }
        let request = transfer.request
        return Route(
            origin: request.origin, certificate: request.clientCertificate?.certificate,
            authority: request.certificateAuthority, trustsDirectory: transfer.trustsDirectory)
    }
}

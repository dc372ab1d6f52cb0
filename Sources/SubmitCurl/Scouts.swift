internal import SubmitHTTP

/// Of requests to one server of which none is under way, the first goes alone until its connection is there. By then it
/// is known whether that can be shared, as by HTTP/2, and as many as may share it need none of their own; the next one
/// goes ahead again, and so on. What was agreed on for the first makes the next ones cheaper otherwise.
///
/// It is done anew where nothing is under way, as the connections may be gone by then. One that finds nobody holds the
/// others up as long as a connection may take to make, once.
final class Scouts {
    /// Where a connection leads, and on what terms: requests of different ones share none.
    private struct Route: Hashable {
        let origin: Substring
        let certificate: String?
        let authority: String?
        let trustsDirectory: Bool
    }

    private struct Party {
        /// It goes ahead to make a connection; `nil` once that is there, or it ended without one.
        var scout: Transfer?
        var waiting: [Transfer] = []
        /// Let go, and not on a connection yet: it may be that one of them makes it, and the scout has the place it left.
        var unplaced: [Transfer] = []
        /// How many are under way.
        var count = 1
        /// How many may be, on the connections that are there.
        var room = 0
        /// The last one that went ahead found nobody: the others see for themselves.
        var isLost = false
    }

    private var parties: [Route: Party] = [:]
    /// Of whom some wait, or one goes ahead.
    private var scouting: Set<Route> = []
    /// How many requests share a connection.
    private let streams: Int

    init(streams: Int) {
        self.streams = streams
    }

    /// False where it has to wait; ``takeReleased()`` has it when it need not any more.
    func mayGo(_ transfer: Transfer) -> Bool {
        guard let route = Self.route(transfer) else { return true }
        guard var party = parties[route] else {
            parties[route] = Party(scout: transfer)
            scouting.insert(route)
            return true
        }
        defer { parties[route] = party }
        guard party.scout == nil, party.waiting.isEmpty else {
            party.waiting.append(transfer)
            return false
        }
        if party.count >= party.room, !party.isLost {
            party.scout = transfer
            scouting.insert(route)
        } else if !party.isLost {
            party.unplaced.append(transfer)
        }
        party.count += 1
        return true
    }

    /// Has to be told of each that was let go.
    func ended(_ transfer: Transfer) {
        guard let route = Self.route(transfer), var party = parties[route] else { return }
        party.count -= 1
        party.unplaced.removeAll { $0 === transfer }
        // One that had a connection has shown the way, also when it ended while another one still makes its own.
        if party.scout === transfer, !transfer.hasConnection { arrived(&party) }
        parties[route] = party.count == 0 && party.waiting.isEmpty ? nil : party
    }

    private func arrived(_ party: inout Party) {
        if party.scout?.hasConnection ?? false { party.room += streams } else { party.isLost = true }
        party.scout = nil
    }

    /// Takes one out that waits; false where it does not.
    func remove(_ transfer: Transfer) -> Bool {
        guard let route = Self.route(transfer),
            let index = parties[route]?.waiting.firstIndex(where: { $0 === transfer })
        else { return false }
        parties[route]?.waiting.remove(at: index)
        return true
    }

    /// Those that need not wait any more. They count as under way.
    func takeReleased() -> [Transfer] {
        var released: [Transfer] = []
        for route in scouting {
            guard var party = parties[route] else {
                scouting.remove(route)
                continue
            }
            party.unplaced.removeAll(where: \.hasConnection)
            if party.unplaced.isEmpty, party.scout?.hasConnection ?? false { arrived(&party) }
            var next = party.isLost ? party.waiting.count : min(party.waiting.count, max(0, party.room - party.count))
            if party.scout == nil, next < party.waiting.count {
                party.scout = party.waiting[next]
                next += 1
            }
            released += party.waiting.prefix(next)
            if !party.isLost { party.unplaced += party.waiting.prefix(next).filter { $0 !== party.scout } }
            party.waiting.removeFirst(next)
            party.count += next
            if party.scout == nil { scouting.remove(route) }
            parties[route] = party
        }
        return released
    }

    /// All that wait.
    func takeAll() -> [Transfer] {
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

internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// Hands out the bytes that may go out in each moment: in all, and to each destination. Destinations that want more than there is
/// get the same, and what one of them does not want goes to the others.
final class BandwidthScheduler: Sendable {
    /// What bounds bytes a second; `nil`: nothing does.
    struct Rates: Hashable {
        var total: Int64?
        var destinations: [String: Int64] = [:]
    }

    private struct Request {
        let bytes: Int
        let granted: @Sendable (Int) -> Void
    }

    /// What goes to one destination.
    private struct Lane {
        /// Its own bound.
        var rate: Double?
        /// Bytes that its own bound lets go.
        var own = 0.0
        /// Its part of what may go out in all.
        var share = 0.0
        /// The first has waited longest.
        var requests: [Request] = []
        var asked = ContinuousClock.now

        func mayTake(ofTotal total: Double?) -> Double {
            min(rate == nil ? .infinity : own, total == nil ? .infinity : share)
        }
    }

    private struct State {
        var total: Double?
        /// What is no destination's part yet.
        var spare = 0.0
        var lanes: [String: Lane] = [:]
        var filled = ContinuousClock.now
        var isTicking = false
    }

    private let state = Locked(State())

    /// How often those who wait are served.
    private static let tick = DispatchTimeInterval.milliseconds(20)
    /// Seconds' worth that may go at once after a pause.
    private static let burst = 0.1
    /// The same where the machine had no time for us: what was due then goes later.
    private static let lateness = 0.5
    /// A destination that wanted nothing for so long has no part.
    private static let memory = Duration.milliseconds(200)

    /// What counts from now on; those that wait are told by it.
    func limit(_ rates: Rates) {
        let granted = state.withLock { state in
            state.total = rates.total.map(Double.init)
            for name in Set(state.lanes.keys).union(rates.destinations.keys) {
                state.lanes[name, default: Lane()].rate = rates.destinations[name].map(Double.init)
            }
            return Self.grantAll(&state)
        }
        for (request, bytes) in granted { request.granted(bytes) }
    }

    /// That of everything that goes to a destination.
    func allowance(for destination: String) -> SendingAllowance {
        SendingAllowance { [self] bytes, granted in
            request(Request(bytes: max(1, bytes), granted: granted), destination)
        }
    }

    private func request(_ request: Request, _ destination: String) {
        let (bytes, begins) = state.withLock { state -> (Int, Bool) in
            if state.total == nil, state.lanes[destination]?.rate == nil { return (request.bytes, false) }
            let now = ContinuousClock.now
            state.lanes[destination, default: Lane()].asked = now
            Self.fill(&state, now, saving: state.isTicking ? Self.lateness : Self.burst)
            if state.lanes[destination]?.requests.isEmpty ?? true,
                let bytes = Self.grant(request, destination, &state)
            {
                return (bytes, false)
            }
            state.lanes[destination]?.requests.append(request)
            defer { state.isTicking = true }
            return (0, !state.isTicking)
        }
        if bytes > 0 { request.granted(bytes) }
        if begins { serveLater() }
    }

    /// Serves those who wait, for as long as anybody does.
    private func serve() {
        let (granted, goesOn) = state.withLock { state in
            Self.fill(&state, .now, saving: Self.lateness)
            let granted = Self.grantAll(&state)
            state.isTicking = state.lanes.values.contains { !$0.requests.isEmpty }
            return (granted, state.isTicking)
        }
        for (request, bytes) in granted { request.granted(bytes) }
        if goesOn { serveLater() }
    }

    private func serveLater() { DispatchQueue.global().asyncAfter(deadline: .now() + Self.tick) { self.serve() } }

    // MARK: What there is

    /// - Parameter saved: so many seconds' worth are kept at the most.
    private static func fill(_ state: inout State, _ now: ContinuousClock.Instant, saving saved: Double) {
        let seconds = (now - state.filled) / .seconds(1)
        state.filled = now
        for (name, lane) in state.lanes {
            guard let rate = lane.rate else { continue }
            state.lanes[name]?.own = min(lane.own + rate * seconds, most(rate, saved))
        }
        guard let total = state.total else { return }
        state.spare += total * seconds
        let active = state.lanes.keys.filter { name in
            state.lanes[name].map { !$0.requests.isEmpty || $0.asked.advanced(by: memory) > now } ?? false
        }
        // To all alike, and what is too much for some to those who wait for more.
        let part = total / Double(max(1, active.count))
        give(&state, to: active, upTo: most(part, burst))
        let wanting = active.filter { name in
            state.lanes[name].map { !$0.requests.isEmpty && ($0.rate == nil || $0.share < $0.own) } ?? false
        }
        give(&state, to: wanting, upTo: most(total, saved))
        state.spare = min(state.spare, most(total, saved))
    }

    private static func give(_ state: inout State, to names: [String], upTo most: Double) {
        let part = state.spare / Double(max(1, names.count))
        for name in names {
            guard let share = state.lanes[name]?.share else { continue }
            let given = max(0, min(part, most - share))
            state.lanes[name]?.share += given
            state.spare -= given
        }
    }

    /// What can be saved up; never less than what is handed out at once.
    private static func most(_ rate: Double, _ saved: Double) -> Double { max(rate * saved, piece(rate)) }

    /// So much is worth a turn.
    private static func piece(_ rate: Double) -> Double { min(max(rate / 100, 256), 1_048_576) }

    // MARK: Who gets it

    /// - Returns: `nil` where it has to wait.
    private static func grant(_ request: Request, _ name: String, _ state: inout State) -> Int? {
        guard let lane = state.lanes[name] else { return nil }
        let room = lane.mayTake(ofTotal: state.total)
        let least = min(Double(request.bytes), piece(min(lane.rate ?? .infinity, state.total ?? .infinity)))
        guard room >= least else { return nil }
        let bytes = Int(min(Double(request.bytes), room))
        if lane.rate != nil { state.lanes[name]?.own -= Double(bytes) }
        if state.total != nil { state.lanes[name]?.share -= Double(bytes) }
        return bytes
    }

    private static func grantAll(_ state: inout State) -> [(Request, Int)] {
        var granted: [(Request, Int)] = []
        for name in state.lanes.keys {
            while let request = state.lanes[name]?.requests.first, let bytes = grant(request, name, &state) {
                state.lanes[name]?.requests.removeFirst()
                granted.append((request, bytes))
            }
        }
        return granted
    }
}

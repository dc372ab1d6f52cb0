internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// Which limits count now: those that were asked for while it runs, in this process or in another, before those that a
/// destination came with.
final class LimitKeeper: Sendable {
    /// Below what the journal keeps them.
    static let topic = "bandwidth"
    /// Stands for all destinations together: none can be called that.
    static let total = ""

    let scheduler = BandwidthScheduler()
    private let store: any Store
    private let destinations: Locked<[String: Destination]>
    private let state = Locked(State())

    private struct State {
        /// What the process was begun with.
        var total: BandwidthSchedule?
        /// What the journal says, by destination.
        var asked: [String: BandwidthSchedule] = [:]
        var rates = BandwidthScheduler.Rates()
    }

    init(_ store: any Store, _ destinations: Locked<[String: Destination]>) {
        self.store = store
        self.destinations = destinations
    }

    /// Of all destinations together, where the journal says nothing else.
    func limit(to total: BandwidthSchedule?) {
        state.withLock { $0.total = total }
        apply()
    }

    /// Reads what the journal says.
    func read() async {
        let names = destinations.withLock { Array($0.keys) } + [Self.total]
        var asked: [String: BandwidthSchedule] = [:]
        for name in names {
            guard let note = try? await store.note(Self.topic, of: name) else { continue }
            asked[name] = try? BandwidthSchedule(String(decoding: note, as: UTF8.self))
        }
        state.withLock { [asked] in $0.asked = asked }
        apply()
    }

    /// What counts at this time of the day.
    func apply() {
        let minute = DailyHours.second() / 60
        let known = destinations.withLock { $0 }
        let rates = state.withLock { state -> BandwidthScheduler.Rates? in
            var rates = BandwidthScheduler.Rates()
            rates.total = (state.asked[Self.total] ?? state.total)?.rate(atMinute: minute)
            for (name, destination) in known {
                let schedule = state.asked[name] ?? destination.limits.bandwidth
                rates.destinations[name] = schedule?.rate(atMinute: minute)
            }
            defer { state.rates = rates }
            return rates == state.rates ? nil : rates
        }
        if let rates { scheduler.limit(rates) }
    }

    /// Bytes a second that a destination gets at the most now; `nil`: nothing bounds it.
    func rate(of destination: String) -> Int64? {
        state.withLock { state in [state.rates.total, state.rates.destinations[destination]].compactMap(\.self).min() }
    }
}

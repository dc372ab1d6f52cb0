/// Counts wrong secrets by address: whoever guesses may do so a few times a minute.
struct WrongSecrets {
    static let most = 5
    static let window = Duration.seconds(60)
    /// Of more addresses than this the oldest are forgotten: an invite's own lock ends what comes from everywhere.
    private static let mostAddresses = 4096

    private var tries: [String: [ContinuousClock.Instant]] = [:]

    /// How long an address has to wait; `nil`: it need not.
    mutating func wait(for address: String, at now: ContinuousClock.Instant) -> Duration? {
        guard let first = recent(of: address, at: now).first, recent(of: address, at: now).count >= Self.most else {
            return nil
        }
        return Self.window - first.duration(to: now)
    }

    mutating func add(_ address: String, at now: ContinuousClock.Instant) {
        tries[address] = (recent(of: address, at: now) + [now]).suffix(Self.most)
        guard tries.count > Self.mostAddresses else { return }
        tries = tries.filter { $0.value.last.map { $0.duration(to: now) < Self.window } ?? false }
        while tries.count > Self.mostAddresses, let oldest = tries.min(by: { $0.value.last! < $1.value.last! }) {
            tries[oldest.key] = nil
        }
    }

    private func recent(of address: String, at now: ContinuousClock.Instant) -> [ContinuousClock.Instant] {
        (tries[address] ?? []).filter { $0.duration(to: now) < Self.window }
    }
}

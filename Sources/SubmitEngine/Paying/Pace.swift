/// How many small items a lane sends at once: more, as long as answers take no longer for it.
///
/// Over a long line an item takes the way there and back, of which any number costs no more. Where the server, the line's
/// width or this machine takes the time, more at once only wait for each other.
/// Source: the rule is that of TCP Vegas, https://doi.org/10.1145/190314.190317.
struct Pace: Sendable {
    private(set) var width: Int
    private let least: Int
    private var most: Int
    private var shortest: Duration?
    private var total = Duration.zero
    private var count = 0

    /// How much longer than the shortest the others may take: what differs less has not waited in a queue.
    private static let slack = 1.5

    init(from least: Int, to most: Int) {
        self.least = least
        self.most = most
        width = least
    }

    /// An item arrived after this time.
    mutating func arrived(after time: Duration) {
        let shortest = min(shortest ?? time, time)
        self.shortest = shortest
        total += time
        count += 1
        guard count >= width else { return }
        if total / count <= shortest * Self.slack { width = min(2 * width, most) }
        total = .zero
        count = 0
    }

    /// An item failed for now that was sent when there were so many: half of them are enough from then on.
    ///
    /// Failures at the first width say nothing of more.
    mutating func failed(at width: Int) {
        guard width > least else { return }
        most = min(most, max(least, width / 2))
        self.width = min(self.width, most)
    }
}

/// How many small items a queue sends at once: more where answers take no longer for it, and fewer where they do.
///
/// Over a long line an item takes the way there and back, of which any number costs no more. Where the server, the line's
/// width or this machine takes the time, more at once only wait for each other.
/// Source: the rule is that of TCP Vegas, https://doi.org/10.1145/190314.190317; that a width counts only where it was
/// used, RFC 7661.
struct ConcurrencyController: Sendable {
    /// An item under way.
    struct Ticket: Sendable {
        /// How many there might have been when it began.
        fileprivate let width: Int
        /// There were about as many.
        fileprivate let isFull: Bool
    }

    enum Outcome {
        /// It arrived by the usual way after so much time.
        case arrived(bytes: Int64, Duration)
        /// The destination did not take it for now: so many may have been too much, or it was down.
        case failed
        /// The destination says that it was asked for too much.
        case throttled
        /// It tells nothing of how long sending takes.
        case other
    }

    private(set) var width: Int
    private let least: Int
    /// As many as may be asked for.
    private let bound: Int
    /// As many as did not prove too much.
    private var most: Int
    private var underWay = 0
    /// Times of items of the same number of binary digits of bytes: the more bytes, the longer it takes.
    private var sizes = [Times](repeating: Times(), count: Int64.bitWidth + 1)
    /// Windows of arrivals since more failed than half would have; `nil`: none did.
    private var windows: Int?
    /// How many of them there are before more are tried again.
    private var patience = 64

    private struct Times {
        var shortest: Duration?
        /// Of the present window.
        var count = 0
        var total = Duration.zero
    }

    /// How many times the shortest the others take who have not waited for each other, and from when on they have.
    private static let slack = (free: 1.5, crowded: 3.0)
    /// Within how many windows of arrivals what fails again fails for the same reason.
    private static let relapse = 8

    init(from least: Int, to bound: Int) {
        self.least = least
        self.bound = bound
        most = bound
        width = least
    }

    mutating func begin() -> Ticket {
        underWay += 1
        return Ticket(width: width, isFull: 2 * underWay > width)
    }

    mutating func end(_ ticket: Ticket, _ outcome: Outcome) {
        underWay -= 1
        guard ticket.isFull else { return }
        switch outcome {
        case .arrived(let bytes, let time): arrived(ticket, bytes, time)
        case .failed: failed(ticket, isTooMuch: false)
        case .throttled: failed(ticket, isTooMuch: true)
        case .other: break
        }
    }

    private mutating func arrived(_ ticket: Ticket, _ bytes: Int64, _ time: Duration) {
        let size = Int64.bitWidth - bytes.leadingZeroBitCount
        sizes[size].shortest = min(sizes[size].shortest ?? time, time)
        guard ticket.width == width else { return }
        sizes[size].count += 1
        sizes[size].total += time
        guard sizes.reduce(0, { $0 + $1.count }) >= width else { return }
        let total = sizes.reduce(.zero) { $0 + $1.total }
        let shortest = sizes.reduce(Duration.zero) { $0 + ($1.shortest ?? .zero) * $1.count }
        windows = windows.map { $0 + 1 }
        if most < bound, let past = windows, past >= patience {
            most = min(bound, 2 * most)
            windows = 0
        }
        if total <= shortest * Self.slack.free {
            width = min(2 * width, most)
        } else if total > shortest * Self.slack.crowded {
            width = max(least, width / 2)
        }
        beginWindow()
    }

    /// Half as many go on. They are enough, for the longer the more often it happens, where so many are shown to be too
    /// much: it says so, or others arrived since the last failure, and soon it failed again. Where none arrived in between
    /// it is down, which says nothing of how many it takes.
    private mutating func failed(_ ticket: Ticket, isTooMuch: Bool) {
        let enough = max(least, ticket.width / 2)
        guard enough < ticket.width, enough < width || isTooMuch && enough < most else { return }
        if isTooMuch || windows.map({ (1...Self.relapse).contains($0) }) ?? false {
            most = min(most, enough)
            patience = min(4 * patience, 1 << 20)
        }
        windows = 0
        width = min(width, enough)
        beginWindow()
    }

    private mutating func beginWindow() {
        for size in sizes.indices {
            sizes[size].count = 0
            sizes[size].total = .zero
        }
    }
}

internal import Foundation

/// How much goes out in a second, of which what went out long ago counts little.
struct Throughput {
    private let memory: Double
    private var bytes = 0.0
    private var files = 0.0
    /// Seconds that count.
    private(set) var time = 0.0

    /// - Parameter memory: seconds after which what went out counts for a third.
    init(memory: Double) { self.memory = memory }

    mutating func add(bytes: Int64, files: Int = 0, in seconds: Double) {
        let rest = exp(-seconds / memory)
        self.bytes = self.bytes * rest + Double(bytes)
        self.files = self.files * rest + Double(files)
        time = time * rest + seconds
    }

    /// Bytes a second; `nil` before there is anything to tell by.
    var rate: Double? { time > 0.3 ? bytes / time : nil }

    /// Seconds that so much more takes, where each file takes as long as `overhead` bytes besides its own; `nil` where
    /// nothing went out.
    func seconds(bytes: Int64, files: Double, overhead: Double) -> Double? {
        let work = self.bytes + overhead * self.files
        guard work > 0, time > 0.3 else { return nil }
        return (Double(bytes) + overhead * max(0, files)) * time / work
    }
}

/// As how many bytes a file counts besides its own, by how long files of different sizes took.
struct FileOverhead {
    private var count = 0.0
    private var sizes = 0.0
    private var times = 0.0
    private var squares = 0.0
    private var products = 0.0

    mutating func add(bytes: Int64, seconds: Double) {
        // The last few dozen count.
        let rest = 0.98
        let size = Double(bytes)
        count = count * rest + 1
        sizes = sizes * rest + size
        times = times * rest + seconds
        squares = squares * rest + size * size
        products = products * rest + size * seconds
    }

    /// Where the line through sizes and times begins, in bytes: what other files on the line take cuts out.
    var bytes: Double {
        let spread = count * squares - sizes * sizes
        guard count > 12, spread > 0.01 * sizes * sizes else { return 0 }
        let slope = (count * products - sizes * times) / spread
        let start = (times - slope * sizes) / count
        guard start > 0 else { return 0 }
        // Where size hardly matters, it is the files that count.
        let mean = sizes / count
        return slope > 0 ? min(start / slope, 10 * mean) : 10 * mean
    }
}

/// The time left as it is shown: it falls, and rises only where things have become clearly slower.
struct TimeLeft {
    private var shown: Double?

    /// - Parameters:
    ///   - estimate: seconds; `nil` where nothing can be said.
    ///   - seconds: since the last time.
    mutating func show(_ estimate: Double?, after seconds: Double) -> Double? {
        guard let estimate else {
            shown = nil
            return nil
        }
        guard let before = shown else {
            shown = estimate
            return estimate
        }
        let now = max(0, before - seconds)
        let share = 1 - exp(-seconds / 4)
        if estimate < now {
            shown = now + (estimate - now) * share
        } else if estimate > 1.25 * before + 2 {
            shown = before + (estimate - before) * share
        } else {
            // It stands rather than rise a little: the next seconds may tell otherwise.
            shown = min(before, max(now, estimate))
        }
        return shown
    }
}

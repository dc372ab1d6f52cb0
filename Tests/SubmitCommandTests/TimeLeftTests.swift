import Submit
import SubmitJournal
import SystemPackage
import Testing

@testable import SubmitCommand
@testable import SubmitEngine

/// The time left, on lines that are simulated.
@Suite struct `The time left` {
    /// Sends files over a line of so many bytes a second that is sometimes faster and sometimes slower, one after the other,
    /// each of which takes some time besides.
    ///
    /// - Returns: what is shown each tenth of a second, and when all had ended.
    private func shown(
        _ sizes: [Int64], rate: Double, overhead: Double = 0, noise: Double, slowerAt slow: Double = .infinity
    ) -> (shown: [(time: Double, left: Double?)], end: Double) {
        let progress = RunProgress()
        var random = SplitMix(state: 7)
        var moment = DestinationMoment(name: "nas", total: sizes.count)
        moment.totalSize = sizes.reduce(0, +)
        moment.leftSize = moment.totalSize
        var (time, index, sent, pause) = (0.0, 0, 0.0, overhead)
        var all: [(Double, Double?)] = []
        while index < sizes.count {
            var seconds = 0.1
            while seconds > 0, index < sizes.count {
                if sent == 0, pause == overhead { progress.heed(.started(note(index, sizes[index])), at: time) }
                if pause > 0 {
                    let used = min(pause, seconds)
                    (pause, seconds) = (pause - used, seconds - used)
                    continue
                }
                let speed =
                    rate * (time > slow ? 0.25 : 1) * (1 + noise * (2 * Double.random(in: 0...1, using: &random) - 1))
                let bytes = min(speed * seconds, Double(sizes[index]) - sent)
                seconds -= bytes / speed
                sent += bytes
                if sent >= Double(sizes[index]) - 0.5 {
                    let receipt = Receipt(remoteID: "x", evidence: .verified)
                    progress.heed(.done(note(index, sizes[index]), receipt), at: time + 0.1 - seconds)
                    moment.done += 1
                    moment.doneSize += sizes[index]
                    moment.leftSize -= sizes[index]
                    (sent, index, pause) = (0, index + 1, overhead)
                }
            }
            time += 0.1
            moment.sent = moment.doneSize + Int64(sent)
            moment.files =
                index < sizes.count
                ? [
                    FileMoment(
                        submission: SubmissionID(rawValue: Int64(index + 1)), name: "x", sent: Int64(sent),
                        size: sizes[index])
                ] : []
            all.append((time, progress.standings([moment], at: time)[0].secondsLeft))
        }
        return (all, time)
    }

    private func note(_ index: Int, _ size: Int64) -> SubmissionNote {
        SubmissionNote(
            id: SubmissionID(rawValue: Int64(index + 1)), batch: 1, destination: "nas",
            item: MediaItem(
                source: "/x", name: "x", size: size, type: .other, modified: Timestamp(nanoseconds: 0),
                digests: Digests()), attempt: 1)
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    @Test func `falls all the time on a slow line that is now faster and now slower`() {
        let (shown, end) = shown([Int64](repeating: 3_000_000, count: 40), rate: 1_000_000, noise: 0.5)
        let told = shown.compactMap { time, left in left.map { (time, $0) } }
        #expect(told.count > shown.count * 9 / 10)
        for (before, after) in zip(told, told.dropFirst()) {
            #expect(after.1 <= before.1, "at \(after.0) s it rises from \(before.1) to \(after.1)")
        }
        for (time, left) in told where time > 10 {
            #expect(abs(left - (end - time)) < 0.25 * (end - time) + 3, "\(left) s at \(time) of \(end) s")
        }
    }

    @Test func `counts what each file takes besides its bytes`() {
        // Large ones first: by bytes alone the small ones would be done in a second.
        let sizes = [Int64](repeating: 4_000_000, count: 5) + [Int64](repeating: 10_000, count: 200)
        let (shown, end) = shown(sizes, rate: 2_000_000, overhead: 0.1, noise: 0.2)
        let small = shown.filter { $0.time > 18 }.compactMap { time, left in left.map { (time, $0) } }
        #expect(!small.isEmpty)
        for (time, left) in small {
            #expect(left > 0.4 * (end - time) - 2 && left < 1.6 * (end - time) + 3, "\(left) s at \(time) of \(end) s")
        }
    }

    @Test func `rises, by and by, where the line has become slower for good`() throws {
        let (shown, end) = shown(
            [Int64](repeating: 3_000_000, count: 40), rate: 1_000_000, noise: 0.1, slowerAt: 20)
        let late = try #require(shown.first { $0.time > 80 }?.left)
        #expect(late > 0.6 * (end - 80), "\(late) s of \(end - 80)")
        for (before, after) in zip(shown, shown.dropFirst()) {
            if let last = before.left, let left = after.left { #expect(left < 1.1 * last + 2, "at \(after.time) s") }
        }
    }

    @Test func `is not told while nothing goes out, nor when answers are all that is awaited`() {
        let progress = RunProgress()
        var moment = DestinationMoment(name: "nas", total: 2)
        (moment.totalSize, moment.leftSize) = (200, 200)
        for step in 0...60 {
            moment.sent = Int64(step)
            moment.files = [FileMoment(submission: 1, name: "a", sent: Int64(step), size: 100)]
            _ = progress.standings([moment], at: Double(step) / 10)
        }
        #expect(progress.standings([moment], at: 6.1)[0].secondsLeft != nil)
        moment.state = DestinationState(
            name: "nas", hold: .init(reason: .full, until: nil, count: 1, code: "full", message: "Full."))
        #expect(progress.standings([moment], at: 6.2)[0].secondsLeft == nil)
        moment.state = nil
        moment.files = (1...2).map {
            FileMoment(submission: SubmissionID(rawValue: Int64($0)), name: "a", sent: 100, size: 100)
        }
        let standing = progress.standings([moment], at: 6.3)[0]
        #expect(standing.secondsLeft == nil && standing.percent == 99 && standing.reason?.code == "answers")
    }
}

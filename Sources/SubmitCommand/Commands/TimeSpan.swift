internal import ArgumentParser
internal import SubmitConfiguration

/// A length of time as people type it: `90s`, `30m`, `12h`, `7d`, `1y`, which is 365 days.
struct TimeSpan: ExpressibleByArgument, CustomStringConvertible {
    let seconds: Int

    init(seconds: Int) {
        self.seconds = seconds
    }

    init?(argument: String) {
        guard let seconds = TimeSpanText.seconds(argument) else { return nil }
        self.seconds = seconds
    }

    var description: String {
        let unit = TimeSpanText.units.sorted { $0.value > $1.value }.first {
            seconds % $0.value == 0 && seconds >= $0.value
        }
        return unit.map { "\(seconds / $0.value)\($0.key)" } ?? "0s"
    }

    var defaultValueDescription: String { description }
}

internal import ArgumentParser

/// A length of time as people type it: `90s`, `30m`, `12h`, `7d`, `1y`, which is 365 days.
struct TimeSpan: ExpressibleByArgument, CustomStringConvertible {
    let seconds: Int

    init(seconds: Int) {
        self.seconds = seconds
    }

    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.units[$0] }), let number = Int(argument.dropLast()), number >= 0,
            !number.multipliedReportingOverflow(by: unit).overflow
        else { return nil }
        seconds = number * unit
    }

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "y": 31_536_000]

    var description: String {
        let unit = Self.units.sorted { $0.value > $1.value }.first { seconds % $0.value == 0 && seconds >= $0.value }
        return unit.map { "\(seconds / $0.value)\($0.key)" } ?? "0s"
    }

    var defaultValueDescription: String { description }
}

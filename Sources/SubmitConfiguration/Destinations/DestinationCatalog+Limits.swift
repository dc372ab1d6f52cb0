internal import Foundation
public import Submit
public import SubmitEngine

extension DestinationCatalog {
    /// `bandwidth` of the configuration: that of all destinations together; `nil` where it says nothing.
    ///
    /// - Throws: a failure to give up with, `configuration`, with file and line.
    public func bandwidth() throws(SubmitFailure) -> BandwidthSchedule? {
        guard let value = file.bandwidth else { return nil }
        return try located(value.line) { () throws(SubmitFailure) in try BandwidthSchedule(value.text) }
    }

    /// `publish_limit` of the configuration: how many photos a command publishes without being confirmed; `nil` if it isn't set.
    ///
    /// - Throws: as ``bandwidth()``.
    package func publishLimit() throws(SubmitFailure) -> Int? {
        guard let value = file.publishLimit else { return nil }
        guard let limit = Int(value.text), limit >= 0 else {
            throw file.complaint(value.line, "“publish_limit” must be a number of photos, not “\(value.text)”.")
        }
        return limit
    }

    /// `bandwidth` and `quiet` of a destination.
    ///
    /// - Throws: as ``bandwidth()``.
    public func limits(of name: String) throws(SubmitFailure) -> DestinationLimits {
        var limits = DestinationLimits()
        guard let written = file.destinations[name]?.general else { return limits }
        if let value = written["bandwidth"] {
            limits.bandwidth = try located(value.line) { () throws(SubmitFailure) in
                try BandwidthSchedule(value.text)
            }
        }
        if let value = written["quiet"] {
            for part in value.text.split(separator: ",") {
                let text = part.trimmingCharacters(in: .whitespaces)
                guard let hours = DailyHours(text) else {
                    throw file.complaint(
                        value.line,
                        "“\(text)” is no time to be quiet: write such as 22:00-06:00, with commas between several.")
                }
                limits.quiet.append(hours)
            }
        }
        return limits
    }
}

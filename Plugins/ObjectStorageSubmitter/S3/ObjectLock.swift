internal import FoundationEssentials
internal import Submit

/// How long nobody may remove an object ("Locking objects with Object Lock" in the Amazon S3 user guide).
struct ObjectLock: Sendable, Hashable {
    enum Mode: String, Sendable, CaseIterable {
        /// Those may who are allowed to bypass it.
        case governance
        /// Nobody, whoever they are.
        case compliance
    }

    let mode: Mode
    let days: Int

    func headers(from now: Timestamp) -> [(name: String, value: String)] {
        let until = Date(timeIntervalSince1970: Double(now.seconds)).addingTimeInterval(Double(days) * 86400)
        return [
            ("x-amz-object-lock-mode", mode.rawValue.uppercased()),
            ("x-amz-object-lock-retain-until-date", until.formatted(Date.ISO8601FormatStyle())),
        ]
    }
}

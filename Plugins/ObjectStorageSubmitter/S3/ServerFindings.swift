internal import FoundationEssentials
internal import Submit

/// What was found out about a server.
struct ServerFindings: Sendable, Hashable {
    /// What became of a condition that did not hold.
    enum Condition: String, Sendable {
        case honours, ignores, refuses
    }

    /// As far as it can be found out; the rest is as with unknown servers.
    var profile = S3Profile()
    var keepsMetadata = false
    var handsOutRanges = false
    var comparesMD5 = false
    var comparesSHA256 = false
    var condition = Condition.refuses
    /// When an upload in parts is completed.
    var conditionAtEnd: Condition?
    /// When it was found out, by the server's clock.
    var found = Timestamp(nanoseconds: 0)

    /// Such as `2026-11-21`.
    var date: String {
        Date(timeIntervalSince1970: Double(found.seconds)).formatted(Date.ISO8601FormatStyle().year().month().day())
    }

    /// For people.
    var sentence: String {
        var does = [profile.etagsAreMD5 == true ? "stores MD5 ETags" : "stores ETags that are no MD5s"]
        if !keepsMetadata { does.append("drops metadata") }
        does.append(profile.parts == nil ? "takes no parts" : "takes parts")
        if profile.computesCRC32C { does.append("computes CRC-32C") }
        let others = [("MD5", comparesMD5), ("SHA-256", comparesSHA256)].filter { !$0.1 }.map(\.0)
        if !others.isEmpty { does.append("does not compare \(others.joined(separator: " and "))") }
        if !handsOutRanges { does.append("hands out no ranges") }
        if let conditionAtEnd, conditionAtEnd != condition, condition == .honours {
            does.append("\(conditionAtEnd.rawValue) If-None-Match when parts are completed")
        }
        let consequence =
            condition == .honours ? ", which spares small items a look" : ", so each upload looks first"
        does.append("\(condition.rawValue) If-None-Match\(consequence)")
        return "It " + does.dropLast().joined(separator: ", ") + ", and " + does[does.count - 1] + "."
    }
}

internal import Foundation
public import Submit

/// Something that people want to hear of who look at no terminal.
public struct News: Sendable, Hashable, Codable {
    /// What it is of.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// All that one or more batches were to bring somewhere has ended, or waits for nobody.
        case batchDone = "batch-done"
        /// All of a card is at as many places as was asked for.
        case cardSafe = "card-safe"
        /// A destination waits for somebody to sign in.
        case loginNeeded = "login-needed"
        /// A destination that something waits for cannot be used for an hour.
        case onHold = "on-hold"
        /// Copies are not where they were.
        case loss
    }

    /// The same however often it is told, and no other's: whoever hears it twice knows.
    public let id: String
    /// What it is of.
    public let kind: Kind
    /// It told of something before, which is over now.
    public let isOver: Bool
    /// Of which destination, where it is of one.
    public let destination: String?
    /// Of which batches.
    public let batches: [Int64]
    /// A sentence or two for people.
    public let message: String
    /// When it came to be.
    public let time: Timestamp

    package init(
        _ kind: Kind, id: String, isOver: Bool = false, destination: String? = nil, batches: [Int64] = [],
        _ message: String,
        at time: Timestamp = .now
    ) {
        (self.kind, self.id, self.isOver) = (kind, id, isOver)
        (self.destination, self.batches, self.message, self.time) = (destination, batches, message, time)
    }

    /// As programs and webhooks get it: `id`, `event`, `over`, `message`, `time` (RFC 3339), `host`, and `destination` and
    /// `batches` where it is of some.
    public var json: [UInt8] {
        var object: [String: Any] = [
            "id": id, "event": kind.rawValue, "over": isOver, "message": message, "time": time.text,
            "host": ProcessInfo.processInfo.hostName,
        ]
        object["destination"] = destination
        if !batches.isEmpty { object["batches"] = batches }
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return Array(data ?? Data())
    }
}

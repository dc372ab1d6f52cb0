internal import Foundation

/// What LocalSend's protocol 2.1 says, as JSON. All that comes is a stranger's.
enum LocalSendMessages {
    /// Who somebody is.
    struct Device: Codable, Sendable {
        var alias: String
        var version: String?
        var deviceModel: String?
        var deviceType: String?
        var fingerprint: String?
        var port: Int?
        var `protocol`: String?
        var download: Bool?
    }

    /// What is said to all on the network: who one is, and whether the others are to say it, too.
    struct Announcement: Codable, Sendable {
        var device: Device
        var announce: Bool

        private enum Key: String, CodingKey { case announce }

        init(device: Device, announce: Bool) { (self.device, self.announce) = (device, announce) }

        init(from decoder: any Decoder) throws {
            device = try Device(from: decoder)
            announce = try decoder.container(keyedBy: Key.self).decodeIfPresent(Bool.self, forKey: .announce) ?? false
        }

        func encode(to encoder: any Encoder) throws {
            try device.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(announce, forKey: .announce)
        }
    }

    struct File: Decodable, Sendable {
        struct Metadata: Decodable, Sendable {
            var modified: String?
        }

        var id: String
        /// May hold folders.
        var fileName: String
        var size: Int64
        var fileType: String?
        var sha256: String?
        var metadata: Metadata?
    }

    struct Preparation: Decodable, Sendable {
        var info: Device
        var files: [String: File]
    }

    struct Prepared: Encodable, Sendable {
        var sessionId: String
        /// Tokens of the files that are wanted.
        var files: [String: String]
    }

    /// Times in ISO 8601, as their senders write them.
    static func milliseconds(_ text: String) -> Int64? {
        let time =
            (try? Date(text, strategy: .iso8601))
            ?? (try? Date(
                text,
                strategy: .iso8601.year().month().day()
                    .time(includingFractionalSeconds: true)))
        return time.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) }
    }
}

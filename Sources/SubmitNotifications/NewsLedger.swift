internal import Foundation
internal import Submit
internal import SubmitStore

/// What was told and what has yet to be, as the journal keeps it.
struct NewsLedger: Codable {
    /// One piece of news on its way to those that have not got it.
    struct Pending: Codable {
        var news: News
        /// Names of channels.
        var channels: Set<String>
        var tries = 0
        /// Nobody is tried before.
        var notBefore = Timestamp(nanoseconds: 0)
    }

    /// A cause that goes on.
    struct Cause: Codable {
        var since: Timestamp
        /// What was told of it; `nil`: nothing yet.
        var told: String?
    }

    var pending: [Pending] = []
    /// By destination.
    var holds: [String: Cause] = [:]
    /// How many copies were lost at the last audit that told of some, by destination.
    var losses: [String: Int] = [:]
    /// The newest batch that was looked at; `nil`: nobody has looked yet.
    var newest: Int64?
    /// Those up to it that were not done then.
    var open: Set<Int64> = []
    /// Those that are done and were not told of.
    var done: [Int64] = []
    /// When the last of them came to be done.
    var doneSince: Timestamp?
    /// When the first of them did.
    var doneFrom: Timestamp?

    private static let topic = "news"

    private enum CodingKeys: CodingKey { case pending, holds, losses, newest, open, done, doneSince, doneFrom }

    static func read(_ store: any Store) async throws(SubmitFailure) -> NewsLedger {
        guard let note = try await store.note(topic, of: "") else { return NewsLedger() }
        return (try? JSONDecoder().decode(NewsLedger.self, from: Data(note))) ?? NewsLedger()
    }

    func write(_ store: any Store) async throws(SubmitFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try await store.setNote(Self.topic, of: "", to: (try? encoder.encode(self)).map(Array.init))
    }
}

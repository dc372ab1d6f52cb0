internal import Logging
internal import Submit
internal import SubmitConcurrency

/// Looks at copies at one destination: no more at once than it takes, and no longer than it answers.
///
/// What cannot tell anything is asked whether it works at all, and when it does not, nothing more: a destination that is
/// down must not be waited for a million times, nor a wrong password be tried as often.
final class CopyLooker: Sendable {
    private struct State {
        /// Looks in a row that could not tell.
        var unknowns = 0
        var hasAnswered = false
        var givenUp: String?
        var nextStart = ContinuousClock.now
    }

    /// Looks in a row that may not tell anything before the destination is asked whether it works.
    private static let patience = 8

    let name: String
    /// How many looks may go on at once.
    let width: Int
    private let submitter: (any Submitter)?
    private let logger: Logger
    private let permits: AsyncSemaphore
    private let state: Locked<State>

    /// - Parameter reason: why the destination cannot be used; `nil` where it can.
    init(_ name: String, _ submitter: (any Submitter)?, reason: String?, logger: Logger) {
        self.logger = logger.doing("audit", at: name)
        self.name = name
        self.submitter = submitter
        var state = State()
        if submitter == nil {
            state.givenUp = reason ?? "“\(name)” is not configured any more, so that it cannot be asked."
        } else if submitter?.facets.presence == nil {
            state.givenUp = "“\(name)” has no way to tell what is there."
        }
        self.state = Locked(state)
        let facts = submitter?.capabilities
        width = facts?.minimumGap == .zero ? min(64, facts?.ordering.width ?? 1) : 1
        permits = AsyncSemaphore(width)
    }

    /// What was left out of our catalogue is taken out there as well.
    var keepsCatalogue: Bool { submitter?.facets.catalogue != nil }

    var canReadBack: Bool { submitter?.capabilities.canReadBack ?? false }

    /// Looks for the copy that a receipt speaks of.
    ///
    /// - Parameter readingBack: reads all its bytes, where the destination can.
    func look(_ item: MediaItem, _ receipt: Receipt, readingBack: Bool = false) async -> Presence {
        if let reason = state.withLock({ $0.givenUp }) { return .unknown(reason) }
        guard let presence = submitter?.facets.presence else { return .unknown("It cannot be told.") }
        guard await permits.acquire() else { return .unknown(SubmitFailure.cancelled.message) }
        defer { permits.release() }
        await keepGap()
        if let reason = state.withLock({ $0.givenUp }) { return .unknown(reason) }
        return await withLogger(logger) { logger in
            let found =
                readingBack && canReadBack
                ? await presence.presenceReadBack(of: item, receipt: receipt)
                : await presence.presence(of: item, receipt: receipt)
            logger.debug("copy looked at", metadata: ["name": .string(item.name), "finding": "\(found)"])
            await heed(found)
            return found.withoutSecrets
        }
    }

    private func heed(_ found: Presence) async {
        guard case .unknown = found else {
            return state.withLock { ($0.unknowns, $0.hasAnswered) = (0, true) }
        }
        let isDoubtful = state.withLock { state -> Bool in
            state.unknowns += 1
            return state.unknowns == 1 && !state.hasAnswered || state.unknowns % Self.patience == 0
        }
        guard isDoubtful, !Task.isCancelled, let submitter else { return }
        do throws(SubmitFailure) {
            _ = try await submitter.check()
        } catch {
            state.withLock { $0.givenUp = $0.givenUp ?? error.withoutSecrets.message }
        }
    }

    private func keepGap() async {
        let gap = submitter?.capabilities.minimumGap ?? .zero
        guard gap > .zero else { return }
        let start = state.withLock { state -> ContinuousClock.Instant in
            let start = max(.now, state.nextStart)
            state.nextStart = start + gap
            return start
        }
        try? await Task.sleep(until: start)
    }
}

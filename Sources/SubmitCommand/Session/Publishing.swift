internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine

/// Asks before a command publishes more than a few photos: a post can't be taken back.
///
/// Without a terminal nothing is asked, and the limit of the configuration counts if there is one.
struct Publishing {
    let session: Session
    /// The user confirmed it beforehand.
    let isMeant: Bool

    /// On a terminal, if the configuration sets no limit.
    private static let usualLimit = 10

    /// - Throws: usage, if more would be published and nobody confirms it.
    func check(_ request: SubmitRequest) async throws {
        let names = session.manager.destinations.filter {
            request.destinations.contains($0.name) && $0.visibility == .public
        }.map(\.name)
        guard !isMeant, !names.isEmpty else { return }
        let written = try session.catalog.publishLimit()
        guard let limit = written ?? (Confirmation.isPossible ? Self.usualLimit : nil),
            try await isAbove(limit, request, names)
        else { return }
        let sentence =
            "More than \(Printable.count(limit, "photo")) would be published at \(names.joined(separator: ", "))"
        let hint = "name fewer, or use `--yes`."
        guard Confirmation.isPossible else {
            throw SubmitFailure.usage(
                "\(sentence), the “publish_limit” of the configuration. Nothing was sent: \(hint)")
        }
        guard Confirmation.ask(Printable.line("\(sentence), and submit can't take them back. Publish them?")) else {
            throw SubmitFailure.usage("Nothing was sent: \(hint)")
        }
    }

    /// Looks at no more files than it must.
    private func isAbove(_ limit: Int, _ request: SubmitRequest, _ names: [String]) async throws -> Bool {
        var request = request
        (request.destinations, request.removal) = (names, nil)
        let (asked, manager) = (request, session.manager)
        let count = Locked(0)
        let counting = Task {
            try await manager.preview(asked) { preview in
                guard case .item(_, let waiting) = preview, waiting.contains(where: { $0.refusal == nil }) else {
                    return
                }
                let isEnough = count.withLock { count in
                    count += 1
                    return count > limit
                }
                if isEnough { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        try await counting.value
        return count.withLock { $0 } > limit
    }
}

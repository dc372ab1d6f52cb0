public import Submit
internal import SubmitStore

extension SubmitManager {
    /// Bounds the bytes a second that go out of this process to all destinations together, where nobody has asked for
    /// something else by ``limit(_:to:)``. What is under way heeds it within a tenth of a second.
    ///
    /// - Parameter bandwidth: `nil`: nothing bounds them.
    public func limit(to bandwidth: BandwidthSchedule?) {
        dispatcher.limits.limit(to: bandwidth)
    }

    /// The destinations at which nothing begins now, as they are to be quiet (``DestinationLimits/quiet``), and how long that
    /// goes on.
    public var quietTimes: [String: Duration] {
        let second = DailyHours.second()
        return destinations.reduce(into: [:]) { $0[$1.name] = $1.limits.quiet.left(at: second) }
    }

    /// Asks for another bandwidth in all processes on this journal, from now on and in later ones, whatever they were begun
    /// with. Those that are sending heed it within a second; each process gets as much.
    ///
    /// - Parameters:
    ///   - destination: whose; `nil`: that of all together.
    ///   - bandwidth: `nil`: what was asked for is forgotten.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func limit(_ destination: String?, to bandwidth: BandwidthSchedule?) async throws(SubmitFailure) {
        try await store.setNote(
            LimitKeeper.topic, of: destination ?? LimitKeeper.total, to: bandwidth.map { Array($0.description.utf8) })
        await dispatcher.limits.read()
    }

    /// What was asked for by ``limit(_:to:)``.
    ///
    /// - Parameter destination: of which; `nil`: of all together.
    /// - Returns: `nil` where nothing was.
    /// - Throws: when the journal cannot be read (`journal…`, to be tried again).
    public func askedLimit(of destination: String?) async throws(SubmitFailure) -> BandwidthSchedule? {
        let note = try await store.note(LimitKeeper.topic, of: destination ?? LimitKeeper.total)
        return note.flatMap { try? BandwidthSchedule(String(decoding: $0, as: UTF8.self)) }
    }
}

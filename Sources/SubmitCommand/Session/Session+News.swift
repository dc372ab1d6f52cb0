internal import Submit
internal import SubmitConfiguration
internal import SubmitNotifications

extension Session {
    /// Tells what is new at the end of a command. What it is of is done, and stays so where nobody can be told: that is warned of,
    /// and no error.
    ///
    /// - Parameter post: adds what the journal does not say by itself.
    func tellNews(_ post: (NewsDesk) async throws(SubmitFailure) -> Void = { _ in }) async {
        do throws(SubmitFailure) {
            guard let desk = try catalog.newsDesk(manager) else { return }
            try await post(desk)
            try await desk.work(atOnce: true)
        } catch {
            ErrorReport.warn(code: "news", "The news of it will not be told: \(error.advised())")
        }
    }

    /// What ends from now on is news.
    func beginNews() async throws(SubmitFailure) { try await catalog.newsDesk(manager)?.look() }
}

internal import SubmitConcurrency

/// A line that somebody types.
enum TerminalAnswer {
    /// - Returns: `""` at the end of the input; `nil` where the task was cancelled before anybody answered: nothing reads what comes
    ///   after that, as whoever cancels ends the program.
    static func read() async -> String? {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        // Nobody can take a read back that waits for a person: it is left to itself.
        Task {
            await BlockingThreads.prompts.run { _ = line.yield(readLine() ?? "") }
            line.finish()
        }
        return await lines.first { _ in true }
    }
}

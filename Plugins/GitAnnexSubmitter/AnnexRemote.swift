internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPrograms

/// A remote, with its program running as long as it behaves.
final class AnnexRemote: Sendable {
    let configuration: AnnexConfiguration
    let memory: AnnexMemory
    private let turn = AsyncSemaphore(1)
    private let running = Locked<(line: LineSession, folder: PrivateFolder)?>(nil)
    private let thread = DispatchQueue(label: "submit.git-annex")

    init(_ configuration: AnnexConfiguration, notes: any DestinationNotes) {
        self.configuration = configuration
        memory = AnnexMemory(notes)
    }

    /// Speaks with the program when nobody else does; starts it if it does not run.
    ///
    /// Whoever breaks the talk off, by a failure of the program's or by cancelling, leaves none behind.
    func speak<Value: Sendable>(
        about key: AnnexKey?, _ body: @escaping @Sendable (AnnexSession) throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        guard await turn.acquire() else { throw .cancelled }
        defer { turn.release() }
        await memory.load(key?.text)
        let isNew = running.withLock { $0 == nil }
        let (line, folder) = try program()
        let result = await onThread { (isCancelled) throws(SubmitFailure) in
            let talk = AnnexSession(
                line: line, configuration: self.configuration, memory: self.memory, folder: folder,
                isCancelled: isCancelled)
            do throws(SubmitFailure) {
                if isNew { try talk.begin() }
            } catch {
                // A program that did not begin is begun anew.
                self.running.withLock { $0 = nil }
                throw error
            }
            return try body(talk)
        }
        await memory.save()
        if case .failure(let failure) = result, failure.isEndOfTalk || running.withLock({ $0 == nil }) {
            running.withLock { $0 = nil }
            await line.abandon()
        }
        return try result.get()
    }

    private func program() throws(SubmitFailure) -> (line: LineSession, folder: PrivateFolder) {
        if let running = running.withLock({ $0 }) { return running }
        let folder = try PrivateFolder()
        let line = try LineSession(configuration.program)
        let started = (line: line, folder: folder)
        running.withLock { $0 = started }
        return started
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (@escaping @Sendable () -> Bool) throws(SubmitFailure) -> Value
    ) async -> Result<Value, SubmitFailure> {
        let flag = Locked(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                thread.async {
                    let result = Result { () throws(SubmitFailure) in try body { flag.withLock { $0 } } }
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            flag.withLock { $0 = true }
        }
    }
}

extension SubmitFailure {
    /// After it the program is in a state that nobody knows.
    fileprivate var isEndOfTalk: Bool { remedy == .cancelled || code.hasPrefix("program-") }
}

internal import CLinux
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// A process that serves this one over a socket, killed and reaped with this value, or with this process: nobody else may be
/// there to reap it.
final class HelperProcess: Sendable {
    enum End: Sendable, Hashable {
        case exited(CInt)
        case killed(CInt)

        fileprivate init(status: CInt) {
            let signal = status & 0x7f
            self = signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal)
        }
    }

    private struct Living {
        var numbers: Set<pid_t> = []
        /// This process ends: it starts no more of them.
        var isOver = false
    }

    private static let living = Locked(Living())
    private static let endsWithUs: Void = { atexit { HelperProcess.endAll() } }()

    let number: pid_t
    private let ended = Locked<End?>(nil)

    /// - Parameter input: its standard input, all that it gets.
    init(_ path: FilePath, input: CInt) throws(Errno) {
        _ = Self.endsWithUs
        var number: pid_t = 0
        // One that is started in this moment is not missed by the end of this process.
        let error = Self.living.withLock { living -> CInt in
            guard !living.isOver else { return ECANCELED }
            let error = submit_start_helper(path.string, input, &number)
            if error == 0 { living.numbers.insert(number) }
            return error
        }
        guard error == 0 else { throw Errno(rawValue: error) }
        self.number = number
    }

    deinit { _ = end() }

    /// Kills it, where it has not ended by itself, and reaps it: how it ended, where that can be told soon. What waits for a dead
    /// disk does not end before that does, and is left to the end of this process.
    func end() -> End? {
        if let known = ended.withLock({ $0 }) { return known }
        let end = Self.end(number, within: 2000)
        if let end { ended.withLock { $0 = end } }
        return end
    }

    private static func end(_ number: pid_t, within milliseconds: CInt) -> End? {
        // Until it is reaped its number is nobody else's.
        let isOurs = living.withLock { living in
            guard living.numbers.contains(number) else { return false }
            kill(number, SIGKILL)
            return true
        }
        guard isOurs, submit_await_end(number, milliseconds) else { return nil }
        return living.withLock { living in
            var status: CInt = 0
            guard living.numbers.contains(number), waitpid(number, &status, WNOHANG) == number else { return nil }
            living.numbers.remove(number)
            return End(status: status)
        }
    }

    private static func endAll() {
        let left = living.withLock { living in
            living.isOver = true
            return living.numbers
        }
        for number in left { _ = end(number, within: 500) }
    }
}

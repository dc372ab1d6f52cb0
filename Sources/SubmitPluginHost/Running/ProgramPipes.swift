internal import SubmitPlatform
internal import SystemPackage

/// Our ends of the pipes to a program, none of which ever makes us wait, and a pipe by which threads wake the one that
/// waits for all of them.
struct ProgramPipes: Sendable {
    let input: FileDescriptor
    let output: FileDescriptor
    let errors: FileDescriptor
    let bell: (hear: FileDescriptor, ring: FileDescriptor)

    /// The program's ends.
    struct Ends: Sendable {
        let input: FileDescriptor
        let output: FileDescriptor
        let errors: FileDescriptor
    }

    static func make() throws(Errno) -> (ours: ProgramPipes, theirs: Ends) {
        var made: [FileDescriptor] = []
        do {
            for _ in 0..<4 {
                let (read, write) = try FileDescriptor.pipe(options: .closeOnExec)
                made += [read, write]
            }
            let ours = ProgramPipes(input: made[1], output: made[2], errors: made[4], bell: (made[6], made[7]))
            for end in [ours.input, ours.output, ours.errors, ours.bell.hear, ours.bell.ring] {
                guard fcntl(end.rawValue, F_SETFL, O_NONBLOCK) >= 0 else { throw Errno(rawValue: errno) }
            }
            return (ours, Ends(input: made[0], output: made[3], errors: made[5]))
        } catch {
            for descriptor in made { try? descriptor.close() }
            throw error as? Errno ?? .ioError
        }
    }
}

extension FileDescriptor {
    /// What came of an attempt to read or write that does not wait.
    enum Moved {
        case bytes(Int)
        /// Not now.
        case later
        /// There is no more, or nobody is there.
        case over
    }

    func readNow(into buffer: UnsafeMutableRawBufferPointer) -> Moved {
        while true {
            let count = Glibc.read(rawValue, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .over }
            if errno == EAGAIN { return .later }
            if errno != EINTR { return .over }
        }
    }

    /// Where nobody reads any more, that is what is returned, and no signal ends us.
    func writeNow(_ bytes: UnsafeRawBufferPointer) -> Moved {
        var brokenPipe = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        var former = sigset_t()
        pthread_sigmask(SIG_BLOCK, &brokenPipe, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        while true {
            let count = Glibc.write(rawValue, bytes.baseAddress, bytes.count)
            if count >= 0 { return .bytes(count) }
            if errno == EAGAIN { return .later }
            if errno == EPIPE, sigismember(&former, SIGPIPE) == 0 {
                // It waits for this thread, and would come as soon as it may.
                var now = timespec()
                sigtimedwait(&brokenPipe, nil, &now)
                return .over
            }
            if errno != EINTR { return .over }
        }
    }
}

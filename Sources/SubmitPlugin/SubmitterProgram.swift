public import Submit
internal import SubmitPlatform
internal import SystemPackage

/// A program that is a submitter: what `submit-to-<type>` runs.
public enum SubmitterProgram {
    /// Serves a type over standard input and output until the host closes the input: the whole of a program's `main`.
    ///
    /// Standard output belongs to the conversation: what the program or anything it starts prints goes to standard
    /// error. Standard input is empty to them. The process ends within 5 seconds of its input, whatever its submitter
    /// does; its exit status is 65 where a line of the host's could not be read.
    ///
    /// `MediaBytes` of an item for which the host names no file asks for them by message. Reading so, and
    /// `MediaBytes.verifyUnchanged()`, block the calling thread for as long as the host takes to answer. That is safe
    /// on any thread, Swift's own included: answers come on a thread that does nothing else.
    ///
    /// - Parameter silence: for how long a request may report nothing before the host takes it for hung; a second to a day.
    public static func serve(_ type: SubmitterType, silence: Duration = .seconds(300)) async {
        // A handler and not SIG_IGN, which programs started by the submitter would inherit.
        signal(SIGPIPE) { _ in }
        guard let (input, output) = takeStandardStreams() else {
            complain(type, "has no standard input and output to speak over")
            exit(EX_OSERR)
        }
        let service = HostConnection(type, silenceSeconds: Int(clamping: silence.components.seconds), writing: output)
        switch await service.run(reading: input) {
        case .finished:
            return
        case .hanging:
            // Without the steps of an orderly end: they could wait for what hangs.
            _exit(EXIT_SUCCESS)
        case .malformed(let complaint):
            complain(type, "cannot read a line of the program that started it: \(complaint)")
            _exit(EX_DATAERR)
        }
    }

    /// Moves the conversation to descriptors that nobody else knows and no program inherits.
    private static func takeStandardStreams() -> (input: FileDescriptor, output: FileDescriptor)? {
        let input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard input >= 0, output >= 0, nothing >= 0, dup2(nothing, STDIN_FILENO) >= 0,
            dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
        else { return nil }
        close(nothing)
        return (FileDescriptor(rawValue: input), FileDescriptor(rawValue: output))
    }

    private static func complain(_ type: SubmitterType, _ complaint: String) {
        _ = try? FileDescriptor.standardError.writeAll("The submitter “\(type.name)” \(complaint).\n".utf8)
    }
}

internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitPlatform
internal import SubmitPrograms
internal import SystemPackage

/// A card that was put in, and the `submit card` that works on it: a process of its own, so that a card that hangs holds up
/// nothing else.
struct CardRun {
    let card: FilePath
    let rule: WatchRule
    let options: RunOptions

    private var arguments: [String] {
        var arguments = ["card", card.string, "--to", rule.destinations.joined(separator: ",")]
        if let album = rule.album { arguments += ["--album", album] }
        if rule.takesAnyFile { arguments.append("--any-file") }
        if rule.takesHidden { arguments.append("--hidden") }
        if rule.freesCard { arguments.append("--free") }
        if options.json { arguments.append("--json") }
        if options.quiet { arguments.append("--quiet") }
        if let jobs = options.jobs { arguments += ["--jobs", "\(jobs)"] }
        if let bandwidth = options.bandwidth { arguments += ["--bwlimit", bandwidth.description] }
        return arguments
    }

    /// Runs it to its end; cancelling the task ends it, and what it was at goes on waiting.
    ///
    /// - Parameter show: gets the lines that it prints.
    /// - Returns: its exit status; `nil` where it could not be begun, or was killed.
    func run(_ show: @escaping @Sendable (String) -> Void) async -> ExitStatus? {
        var call = ProgramCall(Self.program, arguments, environment: [:], inheritsEnvironment: true)
        call.patience = .seconds(3)
        let lines = Locked(PartialLine())
        let result = try? await call.end(output: { bytes in
            for line in lines.withLock({ $0.add(bytes) }) { show(line) }
        })
        guard let result else { return nil }
        if let rest = lines.withLock({ $0.rest }) { show(rest) }
        for line in String(decoding: result.complaint, as: UTF8.self).split(separator: "\n") {
            Output.trouble(Printable.line(String(line)))
        }
        guard case .exited(let status) = result.status else { return nil }
        return ExitStatus(rawValue: CInt(status))
    }

    private static let program: String = {
        guard let path = realpath("/proc/self/exe", nil) else { return CommandLine.arguments[0] }
        defer { free(path) }
        return String(cString: path)
    }()

    /// What came since the last end of a line.
    private struct PartialLine {
        private var bytes: [UInt8] = []

        var rest: String? { bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }

        mutating func add(_ more: UnsafeRawBufferPointer) -> [String] {
            bytes += more
            var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            bytes = lines.popLast().map(Array.init) ?? []
            return lines.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// What its end means.
    static func sentence(_ card: FilePath, _ status: ExitStatus?) -> String {
        if !MountedCards.all().contains(card), status != .done {
            return "The card “\(card)” was taken out: put it in again to go on."
        }
        return switch status {
        case .done?, .leftBehind?: "The card “\(card)” is done with."
        case .interrupted?, nil: "The card “\(card)” was broken off: it goes on when it is put in again."
        default: "The card “\(card)” is not done with: see above, and put it in again to go on."
        }
    }
}

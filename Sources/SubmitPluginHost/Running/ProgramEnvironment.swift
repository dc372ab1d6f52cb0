internal import Logging
internal import Submit
internal import SubmitPrograms
internal import SystemPackage

/// What programs that are submitters find around them.
public struct ProgramEnvironment: Sendable {
    /// The host's name and version, as the programs are told it: `submit 1.0`.
    public var host: String
    /// The host's environment, of which programs are given what they need: `InheritedEnvironment` has the names.
    public var environment: [String: String]
    /// The names of variables that programs are given besides, by the program's file name.
    public var passed: [String: Set<String>]

    var clock = HostClock.machine
    var patience = ProgramTimeouts()

    /// - Parameters:
    ///   - host: name and version, as in `submit 1.0`.
    ///   - environment: of the host, whole: what a program does not need is taken out of it here.
    ///   - passed: the names of variables that programs are given besides, by the program's file name.
    public init(host: String, environment: [String: String], passing passed: [String: Set<String>] = [:]) {
        self.host = host
        self.environment = environment
        self.passed = passed
    }

    /// What a program that is started now is given of the environment.
    func given(to program: ExternalProgram) -> [String: String] {
        var given = InheritedEnvironment(environment, passing: passed).given(to: program.path.string)
        given[OrphanedPrograms.variable] = OrphanedPrograms.host
        // That its `log` messages are heard, and how much of it.
        let level = Logger.current.logLevel
        if level <= .debug { given["SUBMIT_LOG"] = level.rawValue }
        return given
    }

    /// A program's settings without the variables that nobody passes to it.
    ///
    /// A program could name any variable of ours otherwise, and would get the secrets of others as its own settings.
    func narrowed(_ settings: [SettingKey], of program: ExternalProgram) -> [SettingKey] {
        let passed = passed[program.path.lastComponent?.string ?? ""] ?? []
        return settings.map { key in
            SettingKey(
                key.name, key.kind, summary: key.summary, isRequired: key.isRequired,
                environment: key.environment.filter(passed.contains))
        }
    }
}

/// How long the host waits for what.
struct ProgramTimeouts: Sendable {
    /// For the answer to `hello`.
    var greeting = Duration.seconds(10)
    /// For the answer to `configure`.
    var configuring = Duration.seconds(30)
    /// From `cancel` to the end of the request.
    var cancelling = Duration.seconds(10)
    /// From the end of the input to `SIGTERM`, where nothing is asked any more.
    var leaving = Duration.seconds(5)
    /// From `SIGTERM` to `SIGKILL`.
    var terminating = Duration.seconds(5)
}

extension ProgramEnvironment: CustomReflectable {
    /// Without the environment, which may hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["host": host]) }
}

internal import Logging
internal import Submit
internal import SubmitConcurrency

/// What programs that are submitters find around them.
public struct ProgramEnvironment: Sendable {
    /// The host's name and version, as the programs are told it: `submit 1.0`.
    public var host: String
    /// The host's environment. Programs get it without what may hold a secret.
    public var environment: [String: String]
    /// The names of environment variables that may hold secrets, of submitters of any type. Those that programs name, all
    /// that begin with `SUBMIT_`, and those whose name ends as that of a secret are withheld in any case.
    public var secretVariables: Set<String>

    /// Those that programs named so far.
    private let named = Locked<Set<String>>([])

    var clock = HostClock.machine
    var patience = ProgramTimeouts()

    /// - Parameters:
    ///   - host: name and version, as in `submit 1.0`.
    ///   - environment: of the host, whole: what may hold a secret is taken out of it here.
    ///   - secretVariables: the names of more variables that may hold one.
    public init(host: String, environment: [String: String], secretVariables: Set<String> = []) {
        self.host = host
        self.environment = environment
        self.secretVariables = secretVariables
    }

    /// From now on these are withheld from every program that is started.
    func withhold(_ names: Set<String>) {
        named.withLock { $0.formUnion(names) }
    }

    /// What a program that is started now is given of the environment.
    var givenEnvironment: [String: String] {
        let withheld = secretVariables.union(named.withLock { $0 })
        var given = environment.filter { name, _ in
            !name.isEmpty && !name.contains("=") && !name.hasPrefix("SUBMIT_") && !Self.isSecret(name)
                && !withheld.contains(name)
        }
        given[OrphanedPrograms.variable] = OrphanedPrograms.host
        // That its `log` messages are heard, and how much of it.
        let level = Logger.current.logLevel
        if level <= .debug { given["SUBMIT_LOG"] = level.rawValue }
        return given
    }

    /// Whether a variable is called as one that holds a secret: `GITHUB_TOKEN`, `PGPASSWORD`, `MAIL_PASS`.
    private static func isSecret(_ name: String) -> Bool {
        let name = name.uppercased()
        let ends = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY"]
        return ends.contains(where: name.hasSuffix)
            || ["KEY", "PASS"].contains(name.split(separator: "_").last.map(String.init) ?? "")
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

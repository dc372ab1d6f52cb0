/// What programs that are submitters find around them.
public struct ProgramSurroundings: Sendable {
    /// The host's name and version, as the programs are told it: `submit 1.0`.
    public var host: String
    /// The host's environment. Programs get it without what may hold a secret.
    public var environment: [String: String]
    /// The names of environment variables that may hold secrets, of submitters of any type. Those of the program's own
    /// settings and all that begin with `SUBMIT_` are withheld in any case.
    public var secretVariables: Set<String>

    var clock = HostClock.machine
    var patience = Patience()

    public init(host: String, environment: [String: String], secretVariables: Set<String> = []) {
        self.host = host
        self.environment = environment
        self.secretVariables = secretVariables
    }

    /// What a program is given of the environment.
    ///
    /// - Parameter own: the names that the program's own settings give for secrets, where they are known.
    func environment(withholding own: Set<String>) -> [String: String] {
        environment.filter { name, _ in
            !name.isEmpty && !name.contains("=") && !name.hasPrefix("SUBMIT_") && !secretVariables.contains(name)
                && !own.contains(name)
        }
    }
}

/// How long the host waits for what.
struct Patience: Sendable {
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

internal import Submit
internal import Foundation
internal import SubmitConfiguration
internal import SystemPackage

/// The units by which systemd runs `submit` for its user (systemd.service(5), systemd.timer(5)).
struct ServiceUnit {
    /// What it is called, and what is in it.
    let name: String
    let text: String

    static let service = "submit.service"
    static let nightly = "submit-nightly.service"
    static let timer = "submit-nightly.timer"

    /// Runs all the time.
    ///
    /// - Parameter environment: what says where things are is the same there.
    static func watching(
        _ program: FilePath, _ options: [String], _ environment: [String: String]
    ) -> ServiceUnit {
        ServiceUnit(
            name: service,
            text: """
                [Unit]
                Description=submit: sends what comes into folders and on cards
                Documentation=man:submit(1)
                # It waits for the network by itself.
                StartLimitIntervalSec=300
                StartLimitBurst=10

                [Service]
                Type=notify
                ExecStart=\(command(program, ["watch"] + options))
                Restart=on-failure
                RestartSec=10
                WatchdogSec=120
                # Begun while a slow disk is looked through, and ended while it is: both are no faults.
                TimeoutStartSec=infinity
                SuccessExitStatus=130
                TimeoutStopSec=10
                KillMode=mixed
                \(variables(environment))\(hardening)

                [Install]
                WantedBy=default.target

                """)
    }

    /// Runs once a day.
    ///
    /// - Parameter time: `HH:MM`.
    static func nightly(
        _ program: FilePath, _ options: [String], _ environment: [String: String], at time: String
    ) -> [ServiceUnit] {
        [
            ServiceUnit(
                name: nightly,
                text: """
                    [Unit]
                    Description=submit: sends what came since the last time
                    Documentation=man:submit(1)

                    [Service]
                    Type=oneshot
                    ExecStart=\(command(program, ["watch", "--once"] + options))
                    # Something is still waiting, or was left behind: it is told, and no fault of the service.
                    SuccessExitStatus=3 5
                    TimeoutStopSec=10
                    \(variables(environment))\(hardening)

                    """),
            ServiceUnit(
                name: timer,
                text: """
                    [Unit]
                    Description=submit: every day at \(time)

                    [Timer]
                    OnCalendar=*-*-* \(time):00
                    # Where the machine was off, when it is on again.
                    Persistent=true
                    RandomizedDelaySec=60

                    [Install]
                    WantedBy=timers.target

                    """),
        ]
    }

    /// What submitters, programs of anyone's and helpers of desktops can do without. `MemoryDenyWriteExecute` and file systems
    /// made read-only are not among it: rclone's, Python's and a user's own destinations may need them.
    private static let hardening = """
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictNamespaces=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallErrorNumber=EPERM
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        """

    private static func variables(_ environment: [String: String]) -> String {
        ["PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "RCLONE_CONFIG"].compactMap { name in
            environment[name].map { "Environment=\(quoted("\(name)=\($0)"))\n" }
        }.joined()
    }

    private static func command(_ program: FilePath, _ arguments: [String]) -> String {
        ([program.string] + arguments).map(quoted).joined(separator: " ")
    }

    /// In quotes, with what systemd would replace (systemd.service(5), “Command lines”).
    private static func quoted(_ word: String) -> String {
        let safe = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/-_.,=:+@".contains($0)) }
        if safe { return word }
        return "\"\(word.escaping(.ofBackslashes).escaping(["%": "%%", "$": "$$"]))\""
    }

    /// Where a user's own units lie.
    static func folder(_ environment: [String: String], home: FilePath) -> FilePath {
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
        return (base ?? home.appending(".config")).appending("systemd").appending("user")
    }
}

/// What programs that we start are given of our environment: what programs need to find their files, ask a person, speak
/// their language and reach the network. What is not known to be that may be a secret of ours or of others, and stays here.
public struct InheritedEnvironment: Sendable {
    private let environment: [String: String]
    private let passed: [String: Set<String>]

    /// - Parameters:
    ///   - environment: ours, whole.
    ///   - passed: the names of more variables, by the file name of the program that gets them.
    public init(_ environment: [String: String], passing passed: [String: Set<String>] = [:]) {
        self.environment = environment
        self.passed = passed
    }

    /// What a program gets.
    ///
    /// - Parameter program: a name to be looked for on `PATH`, or a path.
    public func given(to program: String) -> [String: String] {
        let passed = passed[String(program.split(separator: "/").last ?? "")] ?? []
        return environment.filter { name, _ in
            // Neither can be handed over.
            !name.isEmpty && !name.contains("=")
                && (Self.names.contains(name) || Self.prefixes.contains(where: name.hasPrefix) || passed.contains(name))
        }
    }

    private static let prefixes = ["LC_", "XDG_"]

    private static let names: Set<String> = [
        // POSIX, "Environment Variables".
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "TZDIR", "USER", "COLUMNS",
        "LINES", "COLORTERM", "NO_COLOR",
        // Asking a person, and agents that keep keys: pinentry, pass(1), ssh(1), Kerberos, the desktop's keyring;
        // a folder of systemd.exec(5).
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "GNUPGHOME", "GPG_AGENT_INFO",
        "GPG_TTY",
        "PASSWORD_STORE_DIR", "SSH_AGENT_PID", "SSH_ASKPASS", "SSH_AUTH_SOCK", "KRB5CCNAME", "KRB5_CONFIG",
        "CREDENTIALS_DIRECTORY",
        // The way there, as curl(1) and OpenSSL know it.
        "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY",
        "ALL_PROXY", "NO_PROXY", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE",
        "NIX_SSL_CERT_FILE",
        // Libraries, and what looks at programs from outside.
        "LD_LIBRARY_PATH", "LD_PRELOAD", "LOCALE_ARCHIVE", "LOCPATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
        "UBSAN_OPTIONS", "SWIFT_BACKTRACE",
    ]
}

extension InheritedEnvironment: CustomReflectable {
    /// Without the environment, which may hold secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

internal import Submit
internal import SubmitPrograms

extension SubmitFailure {
    /// What the end of rclone means.
    ///
    /// Its exit status tells little: nearly all of a remote's refusals end with 1. So what it complains of is read for the
    /// words of the systems and services below it, which are older than its own.
    ///
    /// Source: “Exit code” in rclone's documentation: 1 usage, 2 not otherwise categorised, 3 directory not found, 4 file
    /// not found, 5 temporary, 6 less serious, 7 fatal, 8 transfer limit, 9 no files.
    ///
    /// - Parameter places: what it was told of paths, whose names say nothing.
    static func rclone(
        _ what: String, _ end: ProgramResult, at destination: String, about places: [String]
    ) -> SubmitFailure {
        let complaint = RcloneComplaint.words(of: String(decoding: end.complaint, as: UTF8.self), about: places)
        let said = ForeignText.lastLine(of: end.complaint).map { ": “\($0)”" } ?? ""
        func failure(_ remedy: Remedy, _ code: String, _ advice: String) -> SubmitFailure {
            SubmitFailure(remedy, code: code, message: "\(what) at \(destination); \(advice)\(said).")
        }
        for kind in RcloneComplaint.allCases where kind.words.contains(where: complaint.contains) {
            return failure(kind.remedy, kind.code, kind.advice)
        }
        switch end.status {
        case .late:
            return failure(.hold(.unreachable, after: nil), "unreachable", "rclone had no answer in time")
        case .killed(let signal):
            return failure(.retry(after: nil), "rclone", "rclone was killed by the signal \(signal)")
        case .exited(6):
            return failure(.giveUp, "refused", "the remote refuses it")
        case .exited(7):
            return failure(.hold(.misconfigured, after: nil), "fatal", "rclone sees no use in trying again")
        case .exited(8):
            return failure(.hold(.throttled, after: nil), "throttled", "rclone's transfer limit is reached")
        case .exited(let status):
            return failure(.retry(after: nil), "rclone", "rclone ended with the status \(status)")
        }
    }
}

/// What complaints have in common, the first that fits.
private enum RcloneComplaint: CaseIterable {
    case full, throttled, configurationPassword, credentials, certificate, unreachable, misconfigured, notWritable, name

    /// In small letters, without names that read like a complaint themselves.
    static func words(of text: String, about places: [String]) -> String {
        let names = places.flatMap { $0.lowercased().split { $0 == "/" || $0 == ":" } }.map(String.init)
        var text = text.lowercased()
        for name in names where allCases.contains(where: { $0.words.contains(where: name.contains) }) {
            // As it is, and as it stands in a URL.
            for form in [name, name.replacing(" ", with: "%20")] { text = text.replacing(form, with: "…") }
        }
        return text
    }

    var words: [String] {
        switch self {
        case .full:
            [
                "no space left", "disk quota exceeded", "quotaexceeded", "quota exceeded", "insufficient storage",
                "insufficient_space", "storage limit", "disk full", "not enough space", "remaining disk space",
            ]
        case .throttled:
            [
                "error 429", "status 429", "code 429", "code: 429", "http 429", "too many requests",
                "ratelimitexceeded", "rate limit", "slowdown", "slow down",
            ]
        case .configurationPassword: ["decrypt configuration", "configuration password", "encrypted config"]
        case .credentials:
            [
                "401 unauthorized", "unauthorized", "invalid_grant", "token expired", "couldn't fetch token",
                "empty token found", "invalidaccesskeyid", "signaturedoesnotmatch", "unable to authenticate",
                "login incorrect", ": 530 ", "invalid credentials", "authentication failed", "403 forbidden",
                "accessdenied", "access denied",
            ]
        case .certificate: ["x509:", "knownhosts:"]
        case .unreachable:
            [
                "connection refused", "no such host", "i/o timeout", "network is unreachable", "no route to host",
                "connection reset", "handshake timeout", "deadline exceeded", "server misbehaving",
                "temporary failure in name resolution", "502 bad gateway", "503 service", "504 gateway",
                "transport endpoint is not connected", "input/output error", "stale file handle",
                // A connection that ended without an answer, in Go's words.
                ": eof", ": unexpected eof", "broken pipe", "server closed idle connection",
                "use of closed network connection",
            ]
        case .misconfigured:
            [
                "didn't find section in config", "didn't find backend called", "unknown flag", "unknown command",
                "failed to load config", "couldn't find type", "unknown shorthand", "bad remote name", "invalid remote",
                "unsupported protocol scheme",
                // A file that is missing rclone calls “not found” without a number: this is the place that is not there.
                "404 not found", "405 method not allowed", "statuscode: 404", "status code: 404", "nosuchbucket",
            ]
        case .notWritable: ["permission denied", "read-only file system", "operation not permitted"]
        case .name:
            [
                "file name too long", "invalid file name", "is a directory", "file exists", "not a directory",
                "malformed_path", "disallowed_name",
            ]
        }
    }

    var remedy: Remedy {
        switch self {
        case .full: .hold(.full, after: nil)
        case .throttled: .hold(.throttled, after: nil)
        case .credentials: .renewCredentials
        case .unreachable: .hold(.unreachable, after: nil)
        case .configurationPassword, .certificate, .misconfigured, .notWritable:
            .hold(.misconfigured, after: nil)
        case .name: .giveUp
        }
    }

    var code: String {
        switch self {
        case .full: "full"
        case .throttled: "throttled"
        case .credentials: "credentials"
        case .configurationPassword: "configuration-password"
        case .certificate: "certificate"
        case .unreachable: "unreachable"
        case .misconfigured: "misconfigured"
        case .notWritable: "not-writable"
        case .name: "name"
        }
    }

    var advice: String {
        switch self {
        case .full: "make room there and resume"
        case .throttled: "it asks us to slow down"
        case .credentials: "log in again with `rclone config reconnect`, or correct the remote with `rclone config`"
        case .configurationPassword: "set the secret “config_pass” to the password of rclone's configuration"
        case .certificate: "see whether it is the right server"
        case .unreachable: "it cannot be reached"
        case .misconfigured: "correct the settings “remote” and “config”"
        case .notWritable: "change its permissions, or choose another place"
        case .name: "rename the file, or what is in its place"
        }
    }
}

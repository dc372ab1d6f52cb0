internal import Submit
internal import SubmitPlatform
internal import SystemPackage

extension RcloneSubmitter {
    /// The type `rclone`.
    static func submitterType() -> SubmitterType {
        SubmitterType(
            name: "rclone", summary: "any remote of rclone's, such as Google Drive, Dropbox, SFTP or SMB",
            capabilities: capabilities(
                jobs: mostJobs, digests: [.sha256, .sha1, .md5], usesCaptureTime: true),
            settings: [
                SettingKey(
                    "remote", .text, summary: "the remote and a folder on it, such as gdrive:photos, or a local path",
                    isRequired: true),
                SettingKey(
                    "template", .text, summary: "where items go in it, such as {year}/{month}/{name}; {name} if not set"
                ),
                SettingKey(
                    "config", .path, summary: "rclone's configuration file; rclone's own if not set",
                    environment: ["RCLONE_CONFIG"]),
                SettingKey("program", .text, summary: "the program to run; rclone if not set"),
                SettingKey(
                    "jobs", .integer,
                    summary: "how many items are sent at once, 1 to \(mostJobs); \(defaultJobs) if not set"),
                SettingKey(
                    "config_pass", .secret, summary: "the password of rclone's configuration, where that is encrypted",
                    environment: ["RCLONE_CONFIG_PASS"]),
            ],
            make: { (settings) throws(SubmitFailure) in try RcloneSubmitter(settings) })
    }

    private static let mostJobs = Rclone.mostAtOnce
    private static let defaultJobs = 4

    static func capabilities(jobs: Int, digests: Set<DigestAlgorithm>, usesCaptureTime: Bool) -> Capabilities {
        Capabilities(
            ordering: .concurrent(jobs), supportsAlbums: true, requiresNetwork: true, digests: digests,
            canReadBack: true,
            usesCaptureTime: usesCaptureTime)
    }

    init(_ settings: DestinationSettings) throws(SubmitFailure) {
        var root = try settings.required("remote")
        guard !root.hasPrefix("-"), !root.utf8.contains(0) else {
            throw settings.invalid("remote", "must not begin with “-”")
        }
        guard root.hasPrefix("/") || root.contains(":") else {
            throw settings.invalid(
                "remote", "must be a remote such as gdrive:photos or a path from “/” on, not “\(root)”")
        }
        if let word = Self.secretWord(in: root) {
            throw settings.invalid(
                "remote",
                "holds “\(word)”, which everyone on this computer could see; put it into rclone's configuration")
        }
        while root.count > 1, root.hasSuffix("/"), !root.hasSuffix(":/") { root.removeLast() }
        var configuration = settings["config"]
        if let path = configuration, path.hasPrefix("~/"), let home = getenv("HOME") {
            configuration = String(cString: home) + path.dropFirst()
        }
        let password = settings.secret("config_pass")
        // It holds passwords that anyone can reveal, unless it is encrypted. /dev/null is one without remotes.
        if let configuration, configuration != "/dev/null", password == nil,
            let complaint = FileTrust.complaint(aboutKey: FilePath(configuration))
        {
            throw settings.invalid("config", "is not used: \(complaint)")
        }
        let isLocal = root.hasPrefix("/") || root.hasPrefix(":local:")
        let template = try settings.template("template")
        self.init(
            remote: RcloneRemote(
                root: root,
                rclone: Rclone(
                    program: settings["program"] ?? "rclone", configuration: configuration,
                    environment: password.map { ["RCLONE_CONFIG_PASS": $0] } ?? [:], destination: settings.destination)),
            template: template,
            capabilities: Self.capabilities(
                jobs: try settings.integer("jobs", in: 1...Self.mostJobs) ?? Self.defaultJobs,
                digests: isLocal ? [.sha256] : [.sha256, .sha1, .md5], usesCaptureTime: template.usesCaptureTime))
    }

    /// The parameter of a connection string that holds a secret, as in `:sftp,pass=…:` and `:http,url='http://me:…@nas':`.
    private static func secretWord(in root: String) -> String? {
        if hasPasswordInURL(root) { return "://…:…@" }
        let secret = [
            "pass", "secret", "token", "key", "credentials", "auth", "sas_url", "2fa", "access_grant", "headers",
            "cookie",
        ]
        return root.split(separator: ",").dropFirst().lazy.map { $0.prefix { $0 != "=" }.lowercased() }
            .first { name in name != "key_file" && secret.contains(where: name.contains) }
    }

    /// A URL in a connection string stands in quotes, and a quote in it is doubled.
    private static func hasPasswordInURL(_ root: String) -> Bool {
        let text = root.replacing("''", with: "").replacing("\"\"", with: "")
        return text.ranges(of: "://").contains { scheme in
            let authority = text[scheme.upperBound...].prefix { !"/?#'\"".contains($0) }
            guard let at = authority.lastIndex(of: "@") else { return false }
            return authority[..<at].contains(":")
        }
    }
}

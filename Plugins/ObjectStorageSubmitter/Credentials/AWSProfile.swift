internal import FoundationEssentials
internal import SubmitHTTP

/// One profile of the AWS CLI and SDKs: what `~/.aws/credentials` and `~/.aws/config` say of it, or the files that
/// `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE` name. Nothing that prints it shows a value.
///
/// Where both files have a property, the credentials file's holds. The parts of a key come from one file: the halves of
/// two keys fit nothing.
///
/// Source: "Shared config and credentials files" in the AWS SDKs and Tools Reference Guide.
struct AWSProfile: Sendable {
    let name: String
    private let credentials: [String: String]
    private let configuration: [String: String]
    /// Of the `services` section that it names.
    private let services: [String: String]
    private let paths: (credentials: String, configuration: String)

    /// Reads a profile from its files.
    ///
    /// - Returns: `nil` when neither of them has it.
    static func read(_ name: String, environment: [String: String]) throws(AccessKeyFailure) -> AWSProfile? {
        let paths = paths(environment)
        let credentials = try AWSProfileFile.read(paths.credentials)
        let configuration = try AWSProfileFile.read(paths.configuration)
        // The one profile whose section may do without the word, and it has precedence with it.
        let section = configuration["profile \(name)"] ?? (name == "default" ? configuration[name] : nil)
        guard credentials[name] != nil || section != nil else { return nil }
        return AWSProfile(
            name: name, credentials: credentials[name] ?? [:], configuration: section ?? [:],
            services: section?["services"].flatMap { configuration["services \($0)"] } ?? [:], paths: paths)
    }

    /// Where profiles are looked for.
    static func paths(_ environment: [String: String]) -> (credentials: String, configuration: String) {
        let home =
            environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? FileManager.default.homeDirectoryForCurrentUser.path
        func path(_ variable: String, _ fallback: String) -> String {
            let path = environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? fallback
            return path.hasPrefix("~/") ? home + path.dropFirst() : path
        }
        return (path("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"), path("AWS_CONFIG_FILE", "~/.aws/config"))
    }

    /// Where the profile's requests go, as it says; `nil` where it says nothing.
    struct Place: Sendable, Hashable {
        var region: String?
        var endpoint: String?
    }

    /// Source: "Service-specific endpoints" in the AWS SDKs and Tools Reference Guide.
    var place: Place {
        let ignoresEndpoint = self["ignore_configured_endpoint_urls"]?.lowercased() == "true"
        return Place(
            region: self["region"],
            endpoint: ignoresEndpoint ? nil : services["s3.endpoint_url"] ?? self["endpoint_url"])
    }

    /// How a profile comes by its key.
    enum Origin: Sendable {
        case key(AccessKey)
        /// A program to run, by its command line.
        case process(String)
    }

    /// In the order of botocore's `ProfileProviderBuilder`: roles and logins, a key in the credentials file, a program,
    /// a key in the configuration. A program also stands in for what is not supported.
    ///
    /// - Returns: `nil` when it has nothing of that.
    var origin: Origin? {
        get throws(AccessKeyFailure) {
            let process = self["credential_process"]
            if let other = Self.unsupported.first(where: { self[$0] != nil }) {
                if let process { return .process(process) }
                throw .misconfigured(
                    "the profile “\(name)” uses “\(other)”, which submit does not know; add a “credential_process” to "
                        + "it that prints the key, such as “aws configure export-credentials --profile \(name)”")
            }
            if let key = try key(in: credentials, of: paths.credentials) { return .key(key) }
            if let process { return .process(process) }
            return try key(in: configuration, of: paths.configuration).map { .key($0) }
        }
    }

    private static let unsupported = [
        "role_arn", "source_profile", "credential_source", "web_identity_token_file", "sso_session", "sso_account_id",
        "sso_start_url", "login_session",
    ]

    private subscript(property: String) -> String? {
        [credentials[property], configuration[property]].lazy.compactMap { $0 }.first { !$0.isEmpty }
    }

    private func key(in section: [String: String], of path: String) throws(AccessKeyFailure) -> AccessKey? {
        let id = section["aws_access_key_id"] ?? ""
        let secret = section["aws_secret_access_key"] ?? ""
        if id.isEmpty, secret.isEmpty { return nil }
        guard !id.isEmpty, !secret.isEmpty else {
            let missing = id.isEmpty ? "aws_access_key_id" : "aws_secret_access_key"
            throw .misconfigured("the profile “\(name)” in \(path) has no “\(missing)”; add it")
        }
        let token = section["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 }
        guard let key = AccessKey(checking: id, secret: secret, sessionToken: token) else {
            throw .misconfigured(
                "the profile “\(name)” in \(path) has an id or a token with blanks or other strange characters in it; "
                    + "correct it")
        }
        return key
    }
}

extension AWSProfile: CustomStringConvertible, CustomReflectable {
    var description: String { "profile \(name)" }

    var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

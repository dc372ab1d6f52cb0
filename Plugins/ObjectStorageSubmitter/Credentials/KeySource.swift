internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

/// Where a destination's access key comes from: its settings, a profile of the AWS CLI and SDKs, or the service of the
/// container or of the instance that we run in. Nothing that prints it shows a secret.
///
/// Making one reads no file and asks no one. Who hands keys out to requests keeps what it leases in a ``ExpiringValue``.
struct KeySource: Sendable {
    /// What the setting `credentials` may say.
    enum Choice: String, Sendable, CaseIterable {
        /// The profile that the setting `profile` names; the keys of the settings; the profile that `AWS_PROFILE`
        /// names; the default profile; the container's service: the first of these that there is.
        ///
        /// A named profile stands before the keys, which may be those of the environment, as with botocore's sessions.
        case auto
        case keys, profile, container, instance
    }

    private enum Origin: Sendable {
        case key(AccessKey)
        case profile(String)
        case defaultProfile(otherwise: ContainerCredentials?)
        case container(ContainerCredentials)
        case instance(InstanceCredentials)
    }

    private let destination: String
    private let origin: Origin
    private let environment: [String: String]
    private let transport: any HTTPTransport

    /// - Parameters:
    ///   - settings: of the keys `credentials` and `profile`, and the secrets `access_key_id`, `secret_access_key` and
    ///     `session_token`.
    ///   - environment: the variables that AWS documents for all of these.
    ///   - transport: for the services. It must not follow redirects.
    /// - Throws: a failure that puts the destination on hold as misconfigured, and names what is wrong or missing.
    init(
        _ settings: DestinationSettings, environment: [String: String] = ProcessInfo.processInfo.environment,
        transport: any HTTPTransport
    ) throws(SubmitFailure) {
        destination = settings.destination
        self.environment = environment
        self.transport = transport
        let word = settings["credentials"] ?? Choice.auto.rawValue
        guard let choice = Choice(rawValue: word) else {
            throw settings.invalid(
                "credentials",
                "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")), not “\(word)”")
        }
        do throws(AccessKeyFailure) {
            origin = try Self.origin(choice, settings, environment)
        } catch {
            throw error.submitFailure(destination: destination)
        }
    }

    private static func origin(
        _ choice: Choice, _ settings: DestinationSettings, _ environment: [String: String]
    ) throws(AccessKeyFailure) -> Origin {
        let profile = environment["AWS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        switch choice {
        case .auto:
            if let name = settings["profile"] { return .profile(name) }
            if let key = try key(settings) { return .key(key) }
            if let profile { return .profile(profile) }
            return .defaultProfile(otherwise: try ContainerCredentials(environment: environment))
        case .keys:
            guard let key = try key(settings) else {
                throw .misconfigured("“access_key_id” and “secret_access_key” are missing; add them")
            }
            return .key(key)
        case .profile: return .profile(settings["profile"] ?? profile ?? "default")
        case .container:
            guard let container = try ContainerCredentials(environment: environment) else {
                throw .misconfigured(
                    "neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set; "
                        + "run submit in the container, or choose other “credentials”")
            }
            return .container(container)
        case .instance: return .instance(try InstanceCredentials(environment: environment))
        }
    }

    private static func key(_ settings: DestinationSettings) throws(AccessKeyFailure) -> AccessKey? {
        let id = settings.secret("access_key_id")
        let secret = settings.secret("secret_access_key")
        if id == nil, secret == nil { return nil }
        guard let id, let secret else {
            throw .misconfigured("“\(id == nil ? "access_key_id" : "secret_access_key")” is missing; add it")
        }
        guard let key = AccessKey(checking: id, secret: secret, sessionToken: settings.secret("session_token")) else {
            throw .misconfigured(
                "“access_key_id” or “session_token” has blanks or other strange characters in it; correct it")
        }
        return key
    }

    /// The key as it is now, and until when it is good.
    ///
    /// Reads the profile's files anew each time, runs its program or asks the service.
    ///
    /// - Throws: a failure that waits for someone when there is no key as it is set up, ``Remedy/renewCredentials``
    ///   when the profile's program refuses, one that puts the destination on hold as unreachable when a service does not answer, and
    ///   ``SubmitFailure/cancelled`` when the task is cancelled.
    func lease() async throws(SubmitFailure) -> ExpiringValue<AccessKey>.Lease {
        do throws(AccessKeyFailure) {
            switch origin {
            case .key(let key): return (key, nil)
            case .profile(let name):
                guard let lease = try await lease(of: profile(name)) else {
                    throw .misconfigured(
                        "the profile “\(name)” has none; add aws_access_key_id and aws_secret_access_key to it, or a "
                            + "credential_process")
                }
                return lease
            case .defaultProfile(let container):
                if let profile = try AWSProfile.read("default", environment: environment),
                    let lease = try await lease(of: profile)
                {
                    return lease
                }
                guard let container else { throw Self.notSetUp }
                return try await container.lease(transport)
            case .container(let container): return try await container.lease(transport)
            case .instance(let instance): return try await instance.lease(transport)
            }
        } catch {
            throw error.submitFailure(destination: destination)
        }
    }

    /// Whether anything is there that a key could come from. Reads the profile's files.
    ///
    /// - Throws: as ``lease()`` does, when they cannot be read.
    func isSetUp() throws(SubmitFailure) -> Bool {
        guard case .defaultProfile(nil) = origin else { return true }
        do throws(AccessKeyFailure) {
            return try AWSProfile.read("default", environment: environment)?.origin != nil
        } catch {
            throw error.submitFailure(destination: destination)
        }
    }

    /// Where the profile that the key comes from has its requests go; nothing where the key comes from elsewhere.
    /// Reads the profile's files, and runs no program.
    ///
    /// - Throws: as ``lease()`` does, when the profile is not there or cannot be used.
    func place() throws(SubmitFailure) -> AWSProfile.Place {
        do throws(AccessKeyFailure) {
            switch origin {
            case .key, .container, .instance: return AWSProfile.Place()
            case .profile(let name): return try profile(name).place
            case .defaultProfile:
                guard let profile = try AWSProfile.read("default", environment: environment), try profile.origin != nil
                else { return AWSProfile.Place() }
                return profile.place
            }
        } catch {
            throw error.submitFailure(destination: destination)
        }
    }

    private func profile(_ name: String) throws(AccessKeyFailure) -> AWSProfile {
        if let profile = try AWSProfile.read(name, environment: environment) { return profile }
        let paths = AWSProfile.paths(environment)
        throw .misconfigured(
            "there is no profile “\(name)” in \(paths.credentials) and \(paths.configuration); name one that is there")
    }

    private func lease(of profile: AWSProfile) async throws(AccessKeyFailure) -> ExpiringValue<AccessKey>.Lease? {
        switch try profile.origin {
        case .key(let key)?: (key, nil)
        case .process(let commandLine)?:
            try await CredentialProcess(
                commandLine: commandLine, profile: profile.name, environment: environment
            ).lease()
        case nil: nil
        }
    }

    private static let notSetUp = AccessKeyFailure.misconfigured(
        "set access_key_id and secret_access_key, name a “profile” of ~/.aws/credentials or ~/.aws/config, or set "
            + "“credentials” to container or instance where AWS hands one out")
}

extension KeySource: CustomStringConvertible, CustomReflectable {
    var description: String { "access key of \(destination)" }

    var customMirror: Mirror { Mirror(self, children: ["destination": destination]) }
}

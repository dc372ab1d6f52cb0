internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

/// The access key of a container's role, from the service that Amazon ECS or EKS runs beside it. Nothing that prints it
/// shows its token or its path.
///
/// `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` is a path at `http://169.254.170.2`; without it
/// `AWS_CONTAINER_CREDENTIALS_FULL_URI` is a URL, with http only of this computer or of the addresses that ECS and EKS
/// have for it. What `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE` holds, or `AWS_CONTAINER_AUTHORIZATION_TOKEN` is, goes
/// with the request; the file is read each time, for it is replaced when it ends.
///
/// Source: "Container credential provider" in the AWS SDKs and Tools Reference Guide; `ContainerProvider` and
/// `ContainerMetadataFetcher` of botocore.
struct ContainerCredentials: Sendable {
    private let url: String
    private let origin: String
    private let token: String?
    private let tokenFile: String?

    private static let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
    private static let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
    private static let hosts = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]

    /// - Returns: `nil` when the environment has neither.
    /// - Throws: a failure that names the variable whose text cannot be used, and not the text.
    init?(environment: [String: String]) throws(AccessKeyFailure) {
        func named(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let variable: String
        if let path = named(Self.relative) {
            guard path.hasPrefix("/") else { throw .misconfigured("\(Self.relative) must begin with /; set it right") }
            variable = Self.relative
            url = "http://169.254.170.2" + path
        } else if let full = named(Self.full) {
            variable = Self.full
            url = full
        } else {
            return nil
        }
        // Any query is the service's own.
        guard let endpoint = try? Endpoint(String(url.prefix { $0 != "?" })),
            url.utf8.allSatisfy({ (33...126).contains($0) }), !url.contains("#")
        else { throw .misconfigured("\(variable) is no URL that can be asked; set it right") }
        guard endpoint.isSecure || endpoint.isLoopback || Self.hosts.contains(endpoint.host) else {
            throw .misconfigured(
                "\(variable) names “\(endpoint.host)” with http, which shows the key to the network; use https")
        }
        origin = endpoint.origin
        // Who knows it gets the key.
        KnownSecrets.add(String(url.dropFirst(endpoint.origin.count)), isConfigured: true)
        token = named("AWS_CONTAINER_AUTHORIZATION_TOKEN")
        tokenFile = named("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
    }

    func lease(_ transport: any HTTPTransport) async throws(AccessKeyFailure) -> ExpiringValue<AccessKey>.Lease {
        let service = KeyService(
            name: "the container's service at \(origin)", advice: "check the role of the task or pod",
            transport: transport)
        let headers = try authorization().map { [("authorization", $0)] } ?? []
        return try service.lease(await service.ask("GET", url, headers: headers))
    }

    private func authorization() throws(AccessKeyFailure) -> String? {
        var found = token
        if let tokenFile {
            guard let data = try? Data(contentsOf: URL(filePath: tokenFile)) else {
                throw .misconfigured(
                    "\(tokenFile), which AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names, cannot be read; see that it is "
                        + "there")
            }
            found = String(decoding: data, as: UTF8.self)
            while found?.last?.isNewline == true { found?.removeLast() }
        }
        guard let found else { return nil }
        KnownSecrets.add(found)
        guard !found.isEmpty, found.utf8.allSatisfy({ (32...126).contains($0) }) else {
            throw .misconfigured(
                "the container's authorization token is empty or has line breaks or other strange characters in it; "
                    + "set it right")
        }
        return found
    }
}

extension ContainerCredentials: CustomStringConvertible, CustomReflectable {
    var description: String { "the container's service at \(origin)" }

    var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}

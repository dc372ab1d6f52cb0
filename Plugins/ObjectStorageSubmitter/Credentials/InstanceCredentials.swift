internal import Submit
internal import SubmitHTTP

/// The access key of the role of the EC2 instance that we run on, from its metadata service, version 2 alone.
///
/// `AWS_EC2_METADATA_SERVICE_ENDPOINT` says where it is if not at `http://169.254.169.254`, and
/// `AWS_EC2_METADATA_DISABLED=true` that it shall not be asked.
///
/// Source: "IMDS credential provider" in the AWS SDKs and Tools Reference Guide; "Use IMDS" and "Retrieve security
/// credentials from instance metadata" in the Amazon EC2 User Guide; `InstanceMetadataFetcher` of botocore.
struct InstanceCredentials: Sendable {
    private let endpoint: Endpoint

    /// - Throws: a failure that names the variable that is wrong or forbids it.
    init(environment: [String: String]) throws(AccessKeyFailure) {
        guard environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" else {
            throw .misconfigured(
                "AWS_EC2_METADATA_DISABLED forbids to ask the instance; unset it, or choose other “credentials”")
        }
        let name = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
        do throws(Endpoint.Invalid) {
            endpoint = try Endpoint(environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? "http://169.254.169.254")
        } catch {
            throw .misconfigured("\(name) \(error.complaint)")
        }
    }

    func lease(_ transport: any HTTPTransport) async throws(AccessKeyFailure) -> ExpiringValue<AccessKey>.Lease {
        let service = KeyService(
            name: "the instance metadata service at \(endpoint.origin)",
            advice: "check that this computer is an EC2 instance with a role, or choose other “credentials”",
            transport: transport)
        func line(_ bytes: [UInt8]) -> String {
            String(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline })
        }
        let token = line(
            try await service.ask(
                "PUT", endpoint.url("/latest/api/token"),
                headers: [("x-aws-ec2-metadata-token-ttl-seconds", "21600")]))
        KnownSecrets.add(token)
        let path = "/latest/meta-data/iam/security-credentials/"
        let headers = [(name: "x-aws-ec2-metadata-token", value: token)]
        let role = line(try await service.ask("GET", endpoint.url(path), headers: headers))
        guard !role.isEmpty else { throw .misconfigured("\(service.name) knows no role; \(service.advice)") }
        return try service.lease(
            await service.ask("GET", endpoint.url(path + PercentEncoding.encode(role)), headers: headers))
    }
}

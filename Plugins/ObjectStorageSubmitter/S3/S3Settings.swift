internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// A bucket as it is configured.
struct S3Settings {
    let service: S3Service
    let bucket: S3Bucket
    /// The bucket is made if it is not there.
    let creates: Bool
    /// The largest item in bytes.
    let largest: Int64

    static let keys = [
        SettingKey(
            "endpoint", .url, summary: "the service's URL; https://s3.<region>.amazonaws.com if not set",
            environment: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]),
        SettingKey(
            "region", .text, summary: "the region that requests are signed for; us-east-1 if not set",
            environment: ["AWS_REGION", "AWS_DEFAULT_REGION"]),
        SettingKey(
            "provider", .choice(S3Provider.allCases.map(\.rawValue)),
            summary: "what server it is, where its host does not tell; what a check found if not set"),
        SettingKey(
            "path_style", .boolean,
            summary: "name the bucket in the URL's path, not its host; as the provider has it, or else yes if not set"),
        SettingKey("storage_class", .text, summary: "such as STANDARD_IA; the bucket's own if not set"),
        SettingKey("cache_control", .text, summary: "how long others may keep copies, such as max-age=86400"),
        SettingKey("tags", .boolean, summary: "make the items' tags the objects' tags; no if not set"),
        SettingKey(
            "sse", .choice(S3Encryption.Choice.allCases.map(\.rawValue)),
            summary:
                "who has the key that objects are encrypted with: the service (s3), its key management (kms), or you "
                + "(customer); as the bucket has it if not set"),
        SettingKey(
            "sse_kms_key", .text, summary: "the id of the key at the key management; the account's usual one if not set"
        ),
        SettingKey(
            "sse_customer_key", .secret, summary: "your own key: 32 bytes in base64; who loses it loses the objects"),
        SettingKey(
            "lock_mode", .choice(ObjectLock.Mode.allCases.map(\.rawValue)),
            summary:
                "lock the objects: none may remove them but those who are allowed to (governance), or none (compliance)"
        ),
        SettingKey("lock_days", .integer, summary: "for how many days"),
        SettingKey("bucket_owner", .text, summary: "the account, of 12 digits, that the bucket has to belong to"),
        SettingKey(
            "credentials", .choice(KeySource.Choice.allCases.map(\.rawValue)),
            summary:
                "where the access key comes from: keys given here, a profile of ~/.aws, the service of a container or of an "
                + "instance; the first three in this order (auto) if not set"),
        SettingKey("profile", .text, summary: "a profile of ~/.aws/config and ~/.aws/credentials"),
        SettingKey("access_key_id", .secret, summary: "the access key's id", environment: ["AWS_ACCESS_KEY_ID"]),
        SettingKey(
            "secret_access_key", .secret, summary: "the access key's secret", environment: ["AWS_SECRET_ACCESS_KEY"]),
        SettingKey(
            "session_token", .secret, summary: "the token of temporary credentials", environment: ["AWS_SESSION_TOKEN"]),
    ]

    init(
        _ settings: DestinationSettings, _ common: CommonSettings, transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Timestamp, environment: [String: String], profile: S3Profile?
    ) throws(SubmitFailure) {
        let source = try KeySource(settings, environment: environment, transport: transport)
        guard let bucketName = settings["bucket"], try source.isSetUp() else {
            throw Self.incomplete(settings, hasKey: try source.isSetUp())
        }
        let place = try source.place()
        let region = try settings.word("region") ?? place.region ?? "us-east-1"
        var endpoint = try settings.endpoint("endpoint")
        if endpoint == nil { endpoint = try Self.endpoint(place, settings) }
        guard let address = endpoint ?? S3Service.amazon(region) else {
            throw settings.invalid("region", "must be a region's name, not “\(region)”")
        }
        try settings.check(address, of: "endpoint", allowsPlain: common.allowsPlain)
        let profile = if let profile { profile } else { try Self.profile(of: address, settings) }
        // A bucket's name with dots matches no certificate of the service's, and no name goes before an address.
        let hasName = address.host.contains(where: \.isLetter) && !address.host.contains(":")
        let mayBeHost = hasName && !bucketName.contains(".")
        let isPathStyle = try settings.boolean("path_style") ?? (profile.isPathStyle ?? true || !mayBeHost)
        guard isPathStyle ? S3Bucket.isName(bucketName) : S3Bucket.isHostName(bucketName) else {
            throw settings.invalid("bucket", "must be a bucket's name, not “\(bucketName)”")
        }
        service = S3Service(
            endpoint: endpoint, region: region, isPathStyle: isPathStyle,
            keys: ExpiringValue(now: clock) { () throws(SubmitFailure) in
                let lease = try await source.lease()
                return (SigningKey(lease.value), lease.expires)
            }, profile: profile,
            headers: try ObjectHeaders(settings, profile, isReadable: !address.isSecure && !address.isLoopback),
            prefix: common.prefix.isEmpty ? "" : common.prefix + "/", partSize: common.partSize,
            partsAbove: common.partsAbove, jobs: common.jobs, notes: settings.notes, transport: transport, clock: clock)
        bucket = S3Bucket(name: bucketName, service: service)
        creates = try settings.boolean("create_bucket") ?? false
        largest = profile.parts?.mostBytes ?? S3Bucket.maximumPut
    }

    /// What is known of the server: by its name, or else by its host.
    private static func profile(of address: Endpoint, _ settings: DestinationSettings) throws(SubmitFailure)
        -> S3Profile
    {
        let provider: S3Provider? = try settings.choice("provider")
        do throws(S3Profile.Invalid) {
            if let provider { return try provider.profile() }
            return if let profile = try S3Provider.recognised(by: address.host) { profile } else { S3Profile() }
        } catch {
            throw settings.invalid("provider", "has a profile that cannot be used: \(error.complaint)")
        }
    }

    private static func endpoint(_ place: AWSProfile.Place, _ settings: DestinationSettings) throws(SubmitFailure)
        -> Endpoint?
    {
        guard let text = place.endpoint else { return nil }
        do throws(Endpoint.Invalid) {
            return try Endpoint(text)
        } catch {
            throw settings.invalid("profile", "has an endpoint_url that cannot be used: it \(error.complaint)")
        }
    }

    private static func incomplete(_ settings: DestinationSettings, hasKey: Bool) -> SubmitFailure {
        var missing = settings["bucket"] == nil ? ["bucket"] : []
        if !hasKey { missing += ["access_key_id", "secret_access_key"] }
        let name = settings.destination
        return SubmitFailure(
            .hold(.misconfigured, after: nil), code: "not-set-up",
            message:
                "The destination “\(name)” is not set up yet (\(missing.joined(separator: ", ")) missing): set them up, or set "
                + "S3_BUCKET, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with AWS_REGION and AWS_ENDPOINT_URL_S3 where it is "
                + "not Amazon in us-east-1; for OpenStack Swift set “api” to swift.")
    }
}

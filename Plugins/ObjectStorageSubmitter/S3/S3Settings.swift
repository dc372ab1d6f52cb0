internal import Submit
internal import SubmitHTTP

/// A bucket as it is configured.
struct S3Settings {
    let service: S3Service
    let bucket: Bucket
    /// The bucket is made if it is not there.
    let creates: Bool
    /// The largest item in bytes.
    let largest: Int64

    static let keys = [
        SettingKey("bucket", .text, "the bucket's name", isRequired: true, environment: ["S3_BUCKET"]),
        SettingKey(
            "endpoint", .url, "the service's URL; https://s3.<region>.amazonaws.com if not set",
            environment: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]),
        SettingKey(
            "region", .text, "the region that requests are signed for; us-east-1 if not set",
            environment: ["AWS_REGION", "AWS_DEFAULT_REGION"]),
        SettingKey(
            "path_style", .boolean,
            "name the bucket in the URL's path, not its host; no at amazonaws.com, yes elsewhere if not set"),
        SettingKey("create_bucket", .boolean, "make the bucket if it is not there; no if not set"),
        SettingKey("public", .boolean, "let everyone read the objects (ACL public-read); no if not set"),
        SettingKey("storage_class", .text, "such as STANDARD_IA; the bucket's own if not set"),
        SettingKey(
            "access_key_id", .secret, "the access key's id", isRequired: true, environment: ["AWS_ACCESS_KEY_ID"]),
        SettingKey(
            "secret_access_key", .secret, "the access key's secret", isRequired: true,
            environment: ["AWS_SECRET_ACCESS_KEY"]),
        SettingKey("session_token", .secret, "the token of temporary credentials", environment: ["AWS_SESSION_TOKEN"]),
    ]

    init(
        _ settings: Settings, _ common: CommonSettings, transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Timestamp, profile: S3Profile
    ) throws(SubmitFailure) {
        guard let bucketName = settings["bucket"], let id = settings.secret("access_key_id"),
            let secret = settings.secret("secret_access_key")
        else {
            throw Self.incomplete(settings)
        }
        let accessKey = AccessKey(id: id, secret: secret, sessionToken: settings.secret("session_token"))
        let region = try settings.word("region") ?? "us-east-1"
        let endpoint = try settings.endpoint("endpoint")
        guard let address = endpoint ?? S3Service.amazon(region) else {
            throw settings.invalid("region", "must be a region's name, not “\(region)”")
        }
        try common.check(address, of: "endpoint", settings)
        // A bucket's name with dots matches no certificate for *.amazonaws.com.
        let isAmazon = ".\(address.host).".contains(".amazonaws.com.")
        let isPathStyle = try settings.boolean("path_style") ?? (!isAmazon || bucketName.contains("."))
        guard isPathStyle ? Bucket.isName(bucketName) : Bucket.isHostName(bucketName) else {
            throw settings.invalid("bucket", "must be a bucket's name, not “\(bucketName)”")
        }
        service = S3Service(
            endpoint: endpoint, region: region, isPathStyle: isPathStyle,
            keys: Renewed(now: clock) { () throws(SubmitFailure) in (SigningKey(accessKey), nil) }, profile: profile,
            headers: ObjectHeaders(
                isPublic: try settings.boolean("public") ?? false, storageClass: try settings.word("storage_class")),
            partSize: common.partSize, partsAbove: common.partsAbove, jobs: common.jobs, notes: settings.notes,
            transport: transport, clock: clock)
        bucket = Bucket(name: bucketName, service: service)
        creates = try settings.boolean("create_bucket") ?? false
        largest = profile.parts?.mostBytes ?? Bucket.maximumPut
    }

    private static func incomplete(_ settings: Settings) -> SubmitFailure {
        var missing = settings["bucket"] == nil ? ["bucket"] : []
        missing += ["access_key_id", "secret_access_key"].filter { settings.secret($0) == nil }
        let name = settings.destination
        return SubmitFailure(
            .park(.misconfigured, afterMilliseconds: nil), code: "configuration",
            "The destination “\(name)” is not set up yet (\(missing.joined(separator: ", ")) missing): run "
                + "“submit destinations add \(name) --type objstore …”, or set S3_BUCKET, AWS_ACCESS_KEY_ID and "
                + "AWS_SECRET_ACCESS_KEY, with AWS_REGION and AWS_ENDPOINT_URL_S3 where it is not Amazon in us-east-1.")
    }
}

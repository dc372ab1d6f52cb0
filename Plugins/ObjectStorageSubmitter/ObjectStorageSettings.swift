public import Submit
public import SubmitHTTP

extension ObjectStorageSubmitter {
    /// The type `objstore`, to be registered.
    ///
    /// - Parameter transport: carries all requests of all destinations of this type. It must not follow redirects:
    ///   a signature holds for one address.
    public static func submitterType(transport: any HTTPTransport) -> SubmitterType {
        SubmitterType(
            name: "objstore", aliases: ["s3", "object-storage"],
            summary: "a bucket of an S3-compatible object storage",
            capabilities: capabilities(jobs: mostJobs),
            settings: [
                SettingKey("bucket", .text, "the bucket's name", isRequired: true, environment: ["S3_BUCKET"]),
                SettingKey(
                    "endpoint", .url, "the service's URL; https://s3.<region>.amazonaws.com if not set",
                    environment: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]),
                SettingKey(
                    "region", .text, "the region that requests are signed for; us-east-1 if not set",
                    environment: ["AWS_REGION", "AWS_DEFAULT_REGION"]),
                SettingKey("prefix", .text, "what all keys begin with, such as photos/phone"),
                SettingKey(
                    "template", .text, "where items go below it, such as {year}/{month}/{name}; {name} if not set"),
                SettingKey(
                    "path_style", .boolean,
                    "name the bucket in the URL's path, not its host; no at amazonaws.com, yes elsewhere if not set"),
                SettingKey("create_bucket", .boolean, "make the bucket if it is not there; no if not set"),
                SettingKey("public", .boolean, "let everyone read the objects (ACL public-read); no if not set"),
                SettingKey("storage_class", .text, "such as STANDARD_IA; the bucket's own if not set"),
                SettingKey("insecure", .boolean, "allow http to another computer; no if not set"),
                SettingKey("jobs", .integer, "how many items at once, 1 to \(mostJobs); \(defaultJobs) if not set"),
                SettingKey(
                    "access_key_id", .secret, "the access key's id", isRequired: true,
                    environment: ["AWS_ACCESS_KEY_ID"]),
                SettingKey(
                    "secret_access_key", .secret, "the access key's secret", isRequired: true,
                    environment: ["AWS_SECRET_ACCESS_KEY"]),
                SettingKey(
                    "session_token", .secret, "the token of temporary credentials", environment: ["AWS_SESSION_TOKEN"]),
            ],
            make: { (settings) throws(SubmitFailure) in
                try ObjectStorageSubmitter(settings, transport: transport, now: Timestamp.now)
            })
    }

    private static let mostJobs = 64
    private static let defaultJobs = 8

    /// - Parameter now: the clock that requests are signed with.
    init(
        _ settings: Settings, transport: any HTTPTransport, now: @escaping @Sendable () -> Timestamp
    ) throws(SubmitFailure) {
        guard let bucketName = settings["bucket"], let id = settings.secret("access_key_id"),
            let secret = settings.secret("secret_access_key")
        else {
            throw Self.incomplete(settings)
        }
        let accessKey = AccessKey(id: id, secret: secret, sessionToken: settings.secret("session_token"))
        let region = try settings.word("region") ?? "us-east-1"
        guard let endpoint = try settings.endpoint("endpoint") ?? Self.amazon(region) else {
            throw settings.invalid("region", "must be a region's name, not “\(region)”")
        }
        let allowsPlain = try settings.boolean("insecure") ?? false
        guard endpoint.isSecure || endpoint.isLoopback || allowsPlain else {
            throw settings.invalid(
                "endpoint", "uses http, which shows everything to the network: use https, or set “insecure” to true")
        }
        // A bucket's name with dots matches no certificate for *.amazonaws.com.
        let isAmazon = ".\(endpoint.host).".contains(".amazonaws.com.")
        let isPathStyle = try settings.boolean("path_style") ?? (!isAmazon || bucketName.contains("."))
        guard isPathStyle ? Bucket.isName(bucketName) : Bucket.isHostName(bucketName) else {
            throw settings.invalid("bucket", "must be a bucket's name, not “\(bucketName)”")
        }
        let template: PathTemplate
        do throws(SubmitFailure) {
            template = try PathTemplate(settings["template"] ?? "{name}")
        } catch {
            throw settings.invalid("template", "cannot be used: \(error.sentence)")
        }
        let prefix = (settings["prefix"] ?? "").trimmedSlashes
        guard
            prefix.isEmpty
                || !prefix.split(separator: "/", omittingEmptySubsequences: false).contains(where: {
                    ["", ".", ".."].contains($0)
                })
        else {
            throw settings.invalid("prefix", "must have no empty, “.” or “..” part, not “\(prefix)”")
        }
        self.init(
            bucket: Bucket(
                name: bucketName, endpoint: endpoint, isPathStyle: isPathStyle, region: region, accessKey: accessKey,
                transport: transport, now: now),
            prefix: prefix, template: template,
            headers: ObjectHeaders(
                isPublic: try settings.boolean("public") ?? false, storageClass: try settings.word("storage_class")),
            createsBucket: try settings.boolean("create_bucket") ?? false,
            jobs: try settings.integer("jobs", in: 1...Self.mostJobs) ?? Self.defaultJobs)
    }

    private static func amazon(_ region: String) -> Endpoint? {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        return try? Endpoint("https://s3.\(region).\(domain)")
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

extension Settings {
    /// A text of letters, digits, `-` and `_`, which is safe in a header and in a host's name.
    fileprivate func word(_ name: String) throws(SubmitFailure) -> String? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy(Bucket.isLetterOrDigit) else {
            throw invalid(name, "must be of letters, digits, - and _, not “\(text)”")
        }
        return text
    }
}

extension String {
    fileprivate var trimmedSlashes: String {
        let head = drop { $0 == "/" }
        return String(head.prefix(head.count - head.reversed().prefix { $0 == "/" }.count))
    }
}

internal import FoundationEssentials
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
            summary: "a bucket of an S3-compatible object storage, or a container of OpenStack Swift",
            capabilities: capabilities(
                jobs: mostJobs, smallPerJob: 1, largest: .max, partsAbove: nil, isDated: true, isPublic: false),
            settings: commonSettings + S3Settings.keys + SwiftSettings.keys,
            make: { (settings) throws(SubmitFailure) in
                try ObjectStorageSubmitter(settings, transport: transport, clock: { .now })
            })
    }

    static let mostJobs = 64
    static let defaultJobs = 8
    /// What a small item takes is mostly the way there and back.
    static let smallPerJob = 16

    /// Which protocol the storage speaks.
    enum API: String, Sendable, CaseIterable {
        case s3, swift
    }

    private static let commonSettings = [
        SettingKey(
            "api", .choice(API.allCases.map(\.rawValue)),
            summary: "the protocol: S3's, or OpenStack Swift's own; swift if not set and only OpenStack is set up"),
        SettingKey(
            "bucket", .text, summary: "the bucket's or container's name", isRequired: true, environment: ["S3_BUCKET"]),
        SettingKey("create_bucket", .boolean, summary: "make the bucket if it is not there; no if not set"),
        SettingKey("public", .boolean, summary: "let everyone read what is stored; no if not set"),
        SettingKey("prefix", .text, summary: "what all keys begin with, such as photos/phone"),
        SettingKey(
            "template", .text, summary: "where items go below it, such as {year}/{month}/{name}; {name} if not set"),
        SettingKey(
            "album_as", .choice(AlbumManner.allCases.map(\.rawValue)),
            summary: "what an album is: the beginning of a key (prefix), or a bucket of its own; prefix if not set"),
        SettingKey(
            "verify", .choice(Verification.allCases.map(\.rawValue)),
            summary: "how copies are proven: by what the server says (usual), or by reading them again (readback)"),
        SettingKey(
            "look_first", .boolean,
            summary:
                "look at a key before up to 1 MiB are sent there; if not set, unless the service is known, or was seen lately, to honour If-None-Match"
        ),
        SettingKey("insecure", .boolean, summary: "allow http to another computer; no if not set"),
        SettingKey(
            "jobs", .integer,
            summary:
                "how many items at once, 1 to \(mostJobs); \(defaultJobs) if not set, or up to \(defaultJobs * smallPerJob) of up to 1 MiB"
        ),
        SettingKey("parts_above", .text, summary: "the size above which an item is stored in parts; 16MiB if not set"),
        SettingKey(
            "part_size", .text, summary: "the size of a part; 8MiB, and more for files above 8000 MiB, if not set"),
    ]

    /// - Parameters:
    ///   - clock: this computer's, that requests are signed with.
    ///   - profile: instead of what the settings say and the host tells.
    ///   - triesAfter: see ``PreflightPolicy``.
    init(
        _ settings: DestinationSettings, transport: any HTTPTransport, clock: @escaping @Sendable () -> Timestamp,
        environment: [String: String] = ProcessInfo.processInfo.environment, profile: S3Profile? = nil,
        triesAfter: Int = PreflightPolicy.usualTrial
    ) throws(SubmitFailure) {
        let common = try CommonSettings(settings, triesAfter: triesAfter)
        switch try settings.choice("api") ?? Self.api(settings, environment) {
        case API.s3:
            self.init(
                try S3Settings(
                    settings, common, transport: transport, clock: clock, environment: environment, profile: profile),
                common)
        case API.swift:
            // Who asks for these relies on them.
            for name in ["sse", "lock_mode"] where settings[name] != nil {
                throw settings.invalid(name, "asks for what OpenStack Swift's own API does not have: remove it")
            }
            self.init(
                try SwiftSettings(settings, common, transport: transport, clock: clock, environment: environment),
                common)
        }
    }

    /// What is set up where nobody says it.
    private static func api(_ settings: DestinationSettings, _ environment: [String: String]) -> API {
        if ["cloud", "auth_url", "storage_url"].contains(where: { settings[$0] != nil }) { return .swift }
        let isS3 =
            ["endpoint", "profile", "credentials"].contains { settings[$0] != nil }
            || settings.secret("access_key_id") != nil
        let isSwift = ["OS_CLOUD", "OS_AUTH_URL", "OS_STORAGE_URL", "ST_AUTH"].contains { environment[$0] != nil }
        return !isS3 && isSwift ? .swift : .s3
    }

    private init(_ swift: SwiftSettings, _ common: CommonSettings) {
        self.init(
            swift.account, container: swift.container, albums: common.albums, prefix: common.prefix,
            template: common.template, creates: swift.creates, verification: common.verification,
            preflight: common.preflight,
            capabilities: Self.capabilities(
                jobs: common.jobs, smallPerJob: common.smallPerJob, largest: .max, partsAbove: common.partsAbove,
                isDated: common.template.usesCaptureTime, isPublic: swift.account.settings.isPublic))
    }

    private init(_ s3: S3Settings, _ common: CommonSettings) {
        self.init(
            s3.service, container: s3.bucket, albums: common.albums, prefix: common.prefix, template: common.template,
            creates: s3.creates, verification: common.verification, preflight: common.preflight,
            capabilities: Self.capabilities(
                jobs: common.jobs, smallPerJob: common.smallPerJob, largest: s3.largest,
                partsAbove: s3.service.profile.parts == nil ? nil : common.partsAbove,
                isDated: common.template.usesCaptureTime, isPublic: s3.service.headers.isPublic))
    }

    /// - Parameters:
    ///   - largest: the largest item in bytes.
    ///   - partsAbove: bytes above which an item is stored in parts; `nil` where none is.
    ///   - isDated: keys name dates of capture.
    ///   - isPublic: everyone may read what is stored.
    private static func capabilities(
        jobs: Int, smallPerJob: Int, largest: Int64, partsAbove: Int64?, isDated: Bool,
        isPublic: Bool
    ) -> Capabilities {
        Capabilities(
            ordering: .concurrent(jobs), smallPerPlace: smallPerJob,
            maximumSize: largest == .max
                ? [:] : Dictionary(uniqueKeysWithValues: MediaKind.allCases.map { ($0, largest) }),
            supportsAlbums: true, canResume: partsAbove != nil || largest == .max, requiresNetwork: true,
            digests: [.sha256, .md5, .crc32c],
            // Parts have MD5s of their own, computed when they are sent.
            digestLimits: partsAbove.map { [.md5: $0] } ?? [:], canReadBack: true, usesCaptureTime: isDated,
            visibility: isPublic ? .public : .private)
    }
}

/// What is configured alike for all kinds of object storage.
struct CommonSettings {
    let prefix: String
    let template: PathTemplate
    let albums: ObjectStorageSubmitter.AlbumManner
    let verification: Verification
    let preflight: PreflightPolicy
    let allowsPlain: Bool
    let jobs: Int
    /// How many small items take the place of one. Who sets ``jobs`` means any size.
    let smallPerJob: Int
    /// Bytes.
    let partsAbove: Int64
    /// Bytes.
    let partSize: Int64?

    init(_ settings: DestinationSettings, triesAfter: Int = PreflightPolicy.usualTrial) throws(SubmitFailure) {
        template = try settings.template("template")
        prefix = try settings.pathParts("prefix").joined(separator: "/")
        albums = try settings.choice("album_as") ?? .prefix
        verification = try settings.choice("verify") ?? .usual
        allowsPlain = try settings.boolean("insecure") ?? false
        let jobs = try settings.integer("jobs", in: 1...ObjectStorageSubmitter.mostJobs)
        self.jobs = jobs ?? ObjectStorageSubmitter.defaultJobs
        smallPerJob = jobs == nil ? ObjectStorageSubmitter.smallPerJob : 1
        partsAbove = try settings.size("parts_above") ?? 16 << 20
        partSize = try settings.size("part_size")
        preflight = PreflightPolicy(
            partsAbove: partsAbove, looksFirst: try settings.boolean("look_first"), triesAfter: triesAfter)
    }
}

extension DestinationSettings {
    /// A text of letters, digits, `-` and `_`, which is safe in a header and in a host's name.
    func word(_ name: String) throws(SubmitFailure) -> String? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy(S3Bucket.isLetterOrDigit) else {
            throw invalid(name, "must be of letters, digits, - and _, not “\(text)”")
        }
        return text
    }
}

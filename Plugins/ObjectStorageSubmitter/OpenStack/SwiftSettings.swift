internal import Submit
internal import SubmitHTTP

/// What is configured of an account of OpenStack Swift besides how to sign in.
struct SwiftAccountSettings: Sendable {
    /// Everyone may read what is in containers that we make.
    var isPublic = false
    /// And list them.
    var isListed = false
    var storagePolicy: String?
    var temporaryURLKey: String?
    /// Items above this many bytes are stored in segments.
    var partsAbove: Int64
    /// The segment size that someone asked for, in bytes.
    var partSize: Int64?
    /// The greatest number of requests at once that send an item or a segment.
    var jobs: Int
}

/// A container as it is configured.
struct SwiftSettings {
    let account: SwiftAccount
    let container: SwiftContainer
    /// The container is made if it is not there.
    let creates: Bool

    static let keys =
        OpenStackSettings.keys + [
            SettingKey(
                "public_listing", .boolean,
                summary: "let everyone list a public container of OpenStack Swift; no if not set"),
            SettingKey("storage_policy", .text, summary: "the policy that containers of OpenStack Swift are made with"),
            SettingKey(
                "temp_url_key", .secret,
                summary: "the key that links of OpenStack Swift are signed with; the account's if not set"),
        ]

    init(
        _ settings: DestinationSettings, _ common: CommonSettings, transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Timestamp, environment: [String: String]
    ) throws(SubmitFailure) {
        let name = try settings.required("bucket")
        guard SwiftContainer.isName(name) else {
            throw settings.invalid("bucket", "must be a container's name, not “\(name)”")
        }
        let isPublic = try settings.boolean("public") ?? false
        let isListed = try settings.boolean("public_listing") ?? false
        guard isPublic || !isListed else {
            throw settings.invalid("public_listing", "lists what nobody may read: set “public” to true as well")
        }
        account = SwiftAccount(
            SwiftAccountSettings(
                isPublic: isPublic, isListed: isListed, storagePolicy: try settings.word("storage_policy"),
                temporaryURLKey: settings.secret("temp_url_key"), partsAbove: common.partsAbove,
                partSize: common.partSize, jobs: common.jobs),
            keeper: try StorageTokenClient(settings, environment: environment, transport: transport, now: clock),
            transport: transport, clock: clock)
        container = SwiftContainer(name: name, account: account)
        creates = try settings.boolean("create_bucket") ?? false
    }
}

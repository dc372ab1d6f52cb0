internal import Foundation

/// OpenStack Swift with users of its own: its API with v1 authentication, its S3 front and temporary URLs.
public final class SwiftServer: ObjectServer {
    public let endpoint: String
    /// Over https, vouched for by ``certificateAuthority``.
    public let secureEndpoint: String
    /// The same with a certificate for another host.
    public let wrongNameEndpoint: String
    /// The path of a PEM file.
    public let certificateAuthority: String
    /// Of S3; also the user's name and key of v1 authentication.
    public let accessKey: String
    public let secretKey: String
    public let region: String
    /// Of v1 authentication; ``secureEndpoint`` has it at the same path.
    public let authURL: String
    public let storageURL: String
    /// The account's key for temporary URLs.
    public let temporaryURLKey: String
    private let script: ServerScript
    private let options: [String]

    private static let running = Task { try await SwiftServer() }

    /// The one that tests share, each with buckets of its own. Nobody stops it.
    public static func shared() async throws -> SwiftServer { try await running.value }

    /// Starts one of one's own.
    ///
    /// - Parameters:
    ///   - maximumFileSize: bytes of the largest object that is not made of segments; Swift's 5 GiB by default.
    ///   - tokenLife: seconds until a token of v1 authentication ends; Swift's day by default.
    ///   - disk: where it keeps everything; by default where there is room.
    public init(maximumFileSize: Int? = nil, tokenLife: Int? = nil, disk: SmallDisk? = nil) async throws {
        script = try ServerScript("swift.sh")
        if let disk {
            try FileManager.default.createDirectory(atPath: script.folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: script.folder + "/data", withDestinationPath: disk.path)
        }
        options = ServerScript.swiftOptions(maximumFileSize: maximumFileSize, tokenLife: tokenLife)
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        secureEndpoint = try values.value("TLS_ENDPOINT")
        wrongNameEndpoint = try values.value("WRONG_NAME_ENDPOINT")
        certificateAuthority = try values.value("CA")
        accessKey = try values.value("ACCESS_KEY")
        secretKey = try values.value("SECRET_KEY")
        region = try values.value("REGION")
        authURL = try values.value("AUTH_URL")
        storageURL = try values.value("STORAGE_URL")
        temporaryURLKey = try values.value("TEMP_URL_KEY")
    }

    /// Stops it; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    public func token() async throws -> String {
        try await signIn([
            "-H", "X-Auth-User: \(accessKey)", "-H", "X-Auth-Key: \(secretKey)", authURL,
        ])
    }
}

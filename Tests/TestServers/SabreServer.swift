internal import Foundation

/// SabreDAV 1.8 in Apache: partial updates, conditions, locks, quota. It says 201 for what did not fit, too.
public final class SabreServer: Sendable {
    public enum Access: Sendable, Hashable {
        case basic
        case digest
    }

    /// The collection, with a slash at the end.
    public let endpoint: String
    /// `nil` unless asked for.
    public let secureEndpoint: String?
    /// The certificate of the authority that vouches for ``secureEndpoint``.
    public let certificateAuthority: String?
    public let user: String
    public let password: String
    /// Where the collection lies. The server's `.sabredav` files, with the properties of files, are in it too.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    /// - Parameters:
    ///   - hasQuickETags: they are of the file's size and time, as those of its later versions, and not MD5 of all of
    ///     it, for which it would read a big file at each PATCH and PROPFIND.
    ///   - disk: where ``data`` lies; by default where there is room.
    public init(
        access: Access = .digest, hasPartialUpdate: Bool = true, hasQuickETags: Bool = false, isSecure: Bool = false,
        disk: SmallDisk? = nil
    ) async throws {
        script = try ServerScript("sabre-dav.sh")
        if let disk {
            try FileManager.default.createDirectory(atPath: script.folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: script.folder + "/data", withDestinationPath: disk.path)
        }
        options =
            (access == .basic ? ["--basic"] : []) + (hasPartialUpdate ? [] : ["--no-partial"])
            + (hasQuickETags ? ["--quick-etags"] : []) + (isSecure ? ["--tls"] : [])
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        user = try values.value("USERNAME")
        password = try values.value("PASSWORD")
        data = try values.value("DATA")
        secureEndpoint = values["TLS_ENDPOINT"]
        certificateAuthority = values["CA"]
    }

    /// Every request since the first start. One's line may come a moment after its answer; after ``stop()`` all are
    /// there.
    public func accessLog() throws -> [LoggedRequest] { try script.accessLog() }

    /// Stops it, with whatever it is doing; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}

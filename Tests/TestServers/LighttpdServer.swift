/// lighttpd with mod_webdav: conditions, locks, properties of one's own, and PUT of a range where that is set.
public final class LighttpdServer: Sendable {
    /// What it does with a PUT that has a `Content-Range`.
    public enum PartialPut: String, Sendable, CaseIterable {
        /// It refuses it.
        case none
        /// It changes a copy, which takes the file's place.
        case copy
        /// It changes the file.
        case unsafe
    }

    /// The collection, with a slash at the end.
    public let endpoint: String
    public let user: String
    public let password: String
    /// Where the collection lies.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    public init(partialPut: PartialPut = .none) async throws {
        script = try ServerScript("lighttpd-dav.sh")
        options = partialPut == .none ? [] : ["--partial=\(partialPut.rawValue)"]
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        data = try values.value("DATA")
        user = try values.value("USERNAME")
        password = try values.value("PASSWORD")
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

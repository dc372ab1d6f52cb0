internal import Foundation

/// WordPress with its database: a real service that takes photos by application passwords, over http.
public final class WordPressServer: Sendable {
    /// The site, without a slash at the end.
    public let endpoint: String
    /// May add media.
    public let user: String
    public let appPassword: String
    /// May only read; has ``readerAppPassword``.
    public let reader = "bob"
    public let readerAppPassword: String
    /// Where uploads lie, in folders of the month.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    private static let running = Task { try await WordPressServer() }

    /// The one that tests share, each with files of names of its own. Nobody stops it.
    public static func shared() async throws -> WordPressServer { try await running.value }

    /// Starts one of one's own, which takes some seconds and 270 MB.
    ///
    /// - Parameter maximumSize: bytes of the largest body; 100 MiB by default. More ends in a 500, not a 413.
    public init(maximumSize: Int? = nil) async throws {
        script = try ServerScript("wordpress.sh")
        options = maximumSize.map { ["--max-size", "\($0)"] } ?? []
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        user = try values.value("USERNAME")
        appPassword = try values.value("APP_PASSWORD")
        readerAppPassword = try values.value("READER_APP_PASSWORD")
        data = try values.value("DATA")
    }

    /// A photo or video in its media library.
    public struct Media: Sendable, Decodable, Hashable {
        public struct Text: Sendable, Decodable, Hashable {
            /// As it was given.
            public let raw: String
        }

        public let id: Int
        public let slug: String
        public let mime_type: String
        public let source_url: String
        public let title: Text
        public let caption: Text
        public let description: Text
        public let alt_text: String
    }

    /// What its media library finds for a word, newest first; at most a hundred.
    public func media(_ word: String) async throws -> [Media] {
        let answer = try await ChildProcess.output(of: [
            "curl", "-sSf", "--noproxy", "*", "--max-time", "60", "-u", "\(user):\(appPassword)", "--get",
            "--data-urlencode", "search=\(word)", "-d", "per_page=100&context=edit",
            "\(endpoint)/wp-json/wp/v2/media",
        ])
        return try JSONDecoder().decode([Media].self, from: Data(answer.utf8))
    }

    /// The bytes of a photo as they were uploaded; the one shown may be a smaller copy.
    public func original(_ media: Media) throws -> [UInt8] {
        let path = media.source_url.split(separator: "/wp-content/uploads/", maxSplits: 1).last.map(String.init) ?? ""
        return Array(
            try Data(contentsOf: URL(fileURLWithPath: data + "/" + path.replacing("-scaled.", with: "."))))
    }

    /// Every request since the first start.
    public func accessLog() throws -> [LoggedRequest] { try script.accessLog() }

    /// Stops it; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}

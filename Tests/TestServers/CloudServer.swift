internal import Foundation

/// A fake of Nextcloud, ownCloud 10 or ownCloud Infinite Scale, none of which can be installed here, or of an ordinary
/// WebDAV server. `Tests/Servers/fake-cloud.py` says where each behaviour is from.
public final class CloudServer: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case nextcloud
        case owncloud
        case ocis
        /// An unknown server with nothing of a cloud.
        case plain
    }

    public let kind: Kind
    /// Where the cloud begins; its files are at ``filesURL``.
    public let endpoint: String
    public let port: Int
    /// The name to sign in with, which is not ``userID``.
    public let user: String
    public let password: String
    /// Signs in also where two factors are asked for.
    public let appPassword: String
    /// The id in the paths of the user's files.
    public let userID: String
    /// The user's files, as they arrived.
    public let data: String
    /// What is not complete yet.
    public let uploads: String
    private let script: ServerScript
    /// The header by which it knows whom to obey, for those who steer it over a connection of their own.
    public let controlHeader: (name: String, value: String)
    private let options: [String]

    /// - Parameter options: of `fake-cloud.py`, as in `["--chunk-min", "1000"]`.
    public init(_ kind: Kind = .nextcloud, options: [String] = []) async throws {
        self.kind = kind
        self.options = ["--kind", kind.rawValue] + options
        script = try ServerScript("fake-cloud.sh")
        let values = try await script.start(self.options)
        endpoint = try values.value("ENDPOINT")
        port = Int(try values.value("PORT")) ?? 0
        user = try values.value("LOGIN")
        password = try values.value("PASSWORD")
        appPassword = try values.value("APP_PASSWORD")
        userID = try values.value("USER_ID")
        controlHeader = ("X-Fake-Control", try values.value("CONTROL"))
        data = script.folder + "/data"
        uploads = script.folder + "/uploads"
    }

    /// The folder that ``data`` shows, without a slash at the end.
    public var filesURL: String { kind == .plain ? endpoint : "\(endpoint)/remote.php/dav/files/\(userID)" }

    /// Stops it; what it holds stays. What was seen, planned and changed goes.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }

    // MARK: What it saw

    /// How many bytes of bodies it has read.
    public func bytesTaken() async throws -> Int {
        struct Counts: Decodable { let bytesTaken: Int }
        return try decoded(Counts.self, try await ask("GET", "counts")).bytesTaken
    }

    /// What came, oldest first, without what was sent to steer it.
    public func requests() async throws -> [CloudRequest] {
        try decoded([CloudRequest].self, try await ask("GET", "requests"))
    }

    /// Forgets the requests and counts bytes from 0.
    public func forgetRequests() async throws { try await ask("DELETE", "requests") }

    // MARK: What it shall do

    /// The next requests that match suffer these, each fault its own.
    public func plan(_ faults: CloudFault...) async throws {
        try await ask("POST", "plan", CloudFault.plan(faults))
    }

    /// How many of the planned faults have not struck as often as they shall.
    public func openFaults() async throws -> Int {
        struct Open: Decodable {}
        return try decoded([Open].self, try await ask("GET", "plan")).count
    }

    public func clearPlan() async throws { try await ask("DELETE", "plan") }

    /// Holds from now on, until it is changed or the server stops.
    public func change(_ settings: CloudSetting...) async throws {
        let pairs = settings.map(\.json)
        try await ask("POST", "settings", "{\(pairs.joined(separator: ","))}")
    }

    /// Stores bytes in a folder of the user's as another client would: it would not look again at what changes on its disk.
    public func put(_ bytes: [UInt8], as path: String) async throws {
        let files = TemporaryFolder()
        try files.write(bytes, to: "body")
        let curl = ["curl", "-sS", "-u", "\(user):\(password)"]
        // There already, or not yet.
        try await ChildProcess.output(of: curl + ["-X", "MKCOL", "\(filesURL)/\(path.prefix { $0 != "/" })"])
        try await ChildProcess.output(of: curl + ["-f", "-T", files.path("body"), "\(filesURL)/\(path)"])
    }

    /// Whoever writes to this path is told that it is locked; `times` 0: until ``unlock(_:)``.
    public func lock(_ path: String, times: Int = 0) async throws {
        try await ask("POST", "lock", #"{"path":\#(quoted(path)),"times":\#(times)}"#)
    }

    public func unlock(_ path: String) async throws {
        try await ask("POST", "unlock", #"{"path":\#(quoted(path))}"#)
    }

    /// Lets the requests go on that a fault holds under this name, now and later.
    public func release(_ hold: String) async throws {
        try await ask("POST", "release", #"{"hold":\#(quoted(hold))}"#)
    }

    /// A day has passed: open uploads are gone.
    public func expireUploads() async throws { try await ask("POST", "expire-uploads") }

    /// No app password signs in any more.
    public func revokeAppPasswords() async throws { try await ask("POST", "revoke") }

    /// Does what a person would do on the page that login flow v2 opens.
    public func grantLogin(_ page: String) async throws {
        let token = page.split(separator: "/").last.map(String.init) ?? ""
        try await ChildProcess.output(of: curl + ["-X", "POST", "\(endpoint)/login/v2/grant?token=\(token)"])
    }

    /// Where it is told what it shall do, as in `plan`.
    public func controlURL(_ name: String) -> String { "http://127.0.0.1:\(port)/__fake/\(name)" }

    @discardableResult
    private func ask(_ method: String, _ name: String, _ body: String? = nil) async throws -> String {
        let content = body.map { ["--data-binary", $0] } ?? []
        return try await ChildProcess.output(
            of: curl + ["-X", method, "-H", "\(controlHeader.name): \(controlHeader.value)"] + content
                + [controlURL(name)])
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    private let curl = ["curl", "-sS", "--fail-with-body", "--noproxy", "*", "--max-time", "60"]
}

/// A request as the fake saw it.
public struct CloudRequest: Sendable, Decodable {
    /// From 1, in the order they came.
    public let number: Int
    public let method: String
    /// Decoded.
    public let path: String
    /// As it was sent.
    public let target: String
    /// Of `Authorization` only its scheme.
    public let headers: [String: String]
    /// 0: it got no answer.
    public let status: Int
    /// How many bytes of its body were read.
    public let bodyBytes: Int
    /// A planned fault struck it.
    public let isFault: Bool
    /// It was answered, or its connection ended.
    public let isDone: Bool

    public subscript(name: String) -> String? {
        headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }
}

func quoted(_ text: String) -> String {
    String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
}

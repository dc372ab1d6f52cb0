internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// A container of OpenStack Swift.
struct SwiftContainer: ObjectContainer {
    let name: String
    let account: SwiftAccount

    /// Where the segments of this container's large objects are, as other clients of OpenStack Swift have it.
    var segments: String { name + "_segments" }

    /// Not everyone who speaks this protocol is OpenStack Swift, and that asks fewer nodes before it stores than when it
    /// is asked: whoever says so relies on that.
    func trust(isSaidTo: Bool) async -> ConditionTrust { isSaidTo ? .heeds : .ignores }

    func tryConditions(upTo largest: Int64) async -> String? { nil }

    var place: String { "the container “\(name)”" }

    /// "Container name" in the Object Storage API: up to 256 bytes without a slash.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".." && text.utf8.count <= 256
            && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 32 }
    }

    /// Of two manifests the one that was sent later stays.
    var awaited: PendingKeys? { nil }

    func expect(_ checkpoint: Checkpoint?, of item: MediaItem, by submission: String) {}

    func url(of key: String) async throws(SubmitFailure) -> String {
        try await account.storage().url(SwiftRequest("GET", container: name, key: key).path)
    }

    func send(
        _ method: String, _ key: String? = nil, query: String = "", headers: [(name: String, value: String)] = [],
        body: HTTPBody = .none, file: String? = nil, responseLimit: Int = 64 << 10,
        sent: (@Sendable (Int64) -> Void)? = nil
    ) async throws(SubmitFailure) -> HTTPResponse {
        try await account.send(
            SwiftRequest(
                method, container: name, key: key, query: query, headers: headers, body: body, file: file,
                responseLimit: responseLimit, sent: sent))
    }

    func failure(_ answer: HTTPResponse, file: String?) -> SubmitFailure {
        account.failure(answer, at: place, file: file)
    }

    func exists() async throws(SubmitFailure) -> Bool {
        let answer = try await send("HEAD")
        if answer.status == 404 { return false }
        guard answer.isTaken else { throw failure(answer, file: nil) }
        return true
    }

    /// Private, unless it shall be public: then everyone may read objects, and list them where that is wanted too
    /// ("Container ACLs" in the OpenStack Swift documentation).
    func create() async throws(SubmitFailure) -> Bool {
        var headers: [(name: String, value: String)] = []
        if account.settings.isPublic {
            headers.append(("x-container-read", account.settings.isListed ? ".r:*,.rlistings" : ".r:*"))
            if account.settings.isListed { headers.append(("x-container-meta-web-listings", "true")) }
        }
        if let policy = account.settings.storagePolicy { headers.append(("x-storage-policy", policy)) }
        let answer = try await send("PUT", headers: headers)
        guard answer.isTaken else { throw failure(answer, file: nil) }
        return answer.status == 201
    }

    func prefixes(below outer: String, from continuation: String?) async throws(SubmitFailure) -> ListedPrefixes {
        let page = try await entries(below: outer, after: continuation, delimiter: true)
        let prefixes = page.compactMap(\.subdir)
        return ListedPrefixes(prefixes: prefixes, next: page.last.flatMap { $0.subdir ?? $0.name })
    }

    var longestLink: Duration? { .seconds(10 * 366 * 86_400) }

    /// A temporary URL ("Temporary URL middleware" in the OpenStack Swift documentation).
    func link(to key: String, validFor life: Duration) async throws(SubmitFailure) -> String {
        let url = try await url(of: key)
        guard let secret = try await account.temporaryURLKey() else {
            if account.settings.isPublic { return url }
            throw SubmitFailure(
                .giveUp, code: "no-key",
                message:
                    "No link to “\(key)” can be made: set “temp_url_key”, or the account's X-Account-Meta-Temp-URL-Key."
            )
        }
        guard let digest = TemporaryURL.Digest.best(of: try await account.info().temporaryURLDigests) else {
            throw SubmitFailure(
                .giveUp, code: "no-links",
                message: "No link to “\(key)” can be made: the cluster has no temporary URLs.")
        }
        let path = try await account.storage().basePath + "/\(name)/\(key)"
        let expires = account.now.seconds + life.components.seconds
        return url + "?" + TemporaryURL.query("GET", path: path, expires: expires, key: secret, digest)
    }

    /// The object expires within an hour if it can't be removed ("Schedule objects for deletion" in the OpenStack Swift
    /// documentation).
    func storeSmallObject(below prefix: String) async throws(SubmitFailure) {
        let name = ".submit-trial-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let key = prefix.isEmpty ? name : "\(prefix)/\(name)"
        let answer = try await send(
            "PUT", key, headers: [("content-type", "text/plain"), ("x-delete-after", "3600")],
            body: .bytes([UInt8](repeating: 0x20, count: ObjectTrial.size)))
        // It may be there whatever the answer says.
        let removal = try await send("DELETE", key)
        guard answer.isTaken else { throw failure(answer, file: nil) }
        guard removal.isTaken || removal.status == 404 else { throw failure(removal, file: nil) }
    }

    func probe() async throws(SubmitFailure) -> String? {
        guard let rules = try await account.info().segments else {
            return "It takes no large objects in segments, so that a broken upload begins from the start."
        }
        return "Large objects go there in up to \(rules.count) segments, kept in “\(segments)”."
    }
}

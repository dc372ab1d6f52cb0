internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitXML

/// Finds out what a server is, once for all submissions and for a week.
///
/// What can be asked is asked; what can only be tried is tried on scratch files (see ``DAVProbe``).
final class DAVDiscovery: Sendable {
    private let server: DAVServer
    private let collections: Collections
    let notes: any DestinationNotes
    /// Below the server's root.
    private let folder: [String]
    /// Who signs in; `nil` where that is no user.
    private let user: String?
    private let turns = FailureSharingLock { $0.remedy != .cancelled }
    private let known = Locked<ServerProfile?>(nil)

    /// The note's topic: what was found out of one URL says nothing of another's.
    private var topic: String { "server \(server.endpoint.url("")) \(folder.joined(separator: "/")) \(user ?? "")" }

    init(
        _ server: DAVServer, collections: Collections, notes: any DestinationNotes, folder: [String], user: String?
    ) {
        self.server = server
        self.collections = collections
        self.notes = notes
        self.folder = folder
        self.user = user
    }

    /// The collection that everything goes into.
    func base(of profile: ServerProfile) -> DAVPath {
        folder.reduce(profile.rootPath) { $0.appending($1, isCollection: true) }
    }

    /// What is known of the server.
    ///
    /// - Throws: why it cannot be found out, to all who asked meanwhile. The next call tries again.
    func profile() async throws(SubmitFailure) -> ServerProfile {
        if let profile = known.withLock({ $0 }) { return profile }
        return try await turns.take("", known: { known.withLock { $0 } }) { () async throws(SubmitFailure) in
            if let profile = await rememberedProfile() { return profile }
            return try await findOut()
        }
    }

    /// What is known of the server without asking it; `nil` where that is nothing.
    func rememberedProfile() async -> ServerProfile? {
        if let profile = known.withLock({ $0 }) { return profile }
        guard let profile = ServerProfile(await notes.read(topic), now: server.time) else { return nil }
        known.withLock { $0 = profile }
        if profile.lists { server.hasShownItself = true }
        if profile.demandsLocks { server.held.areDemanded = true }
        server.sizes = profile.sizes
        return profile
    }

    /// The same, and never what an earlier process found.
    func renewedProfile() async throws(SubmitFailure) -> ServerProfile {
        try await turns.take("", known: { nil }) { () async throws(SubmitFailure) in try await findOut() }
    }

    /// Keeps what turned out to be otherwise than it was found.
    func learn(_ change: (inout ServerProfile) -> Void) async {
        let learned = known.withLock { known in
            if var profile = known {
                change(&profile)
                known = profile
            }
            return known
        }
        if let learned { await notes.write(topic, learned.note) }
    }

    /// Forgets what turned out to be otherwise.
    func forget() async {
        known.withLock { $0 = nil }
        await notes.write(topic, nil)
    }

    private func findOut() async throws(SubmitFailure) -> ServerProfile {
        server.sizes = .anyWay
        var profile = try await root()
        try await ask(&profile)
        let base = base(of: profile)
        try await collections.ensure(base, on: profile)
        let asked = profile
        let scope = DAVServer.LockScope(path: base, isDeep: true, owner: "submit", life: DAVServer.shortestLife)
        profile = try await server.locking(scope, about: nil) { () async throws(SubmitFailure) in
            var profile = asked
            try await probe(base, &profile)
            return profile
        }
        if profile.lists { profile.tellsQuota = await server.room(in: base) != nil }
        profile.demandsLocks = server.held.areDemanded
        profile.found = server.time
        let found = profile
        known.withLock { $0 = found }
        await notes.write(topic, found.note)
        return found
    }

    /// Tries what can only be tried, and removes what an earlier try left that was broken off.
    private func probe(_ base: DAVPath, _ profile: inout ServerProfile) async throws(SubmitFailure) {
        let oddTopic = "odd names \(topic)"
        let noted = await notes.read(oddTopic)
        let oddNames = OddNames(noted)
        let result: Result<Void, SubmitFailure>
        do throws(SubmitFailure) {
            result = .success(try await probe(base, &profile, oddNames))
        } catch {
            result = .failure(error)
        }
        if oddNames.note != noted { await notes.write(oddTopic, oddNames.note) }
        try result.get()
    }

    private func probe(
        _ base: DAVPath, _ profile: inout ServerProfile, _ oddNames: OddNames
    ) async throws(SubmitFailure) {
        let traces = ProbeTraces(notes: notes, topic: "probes \(topic)")
        for mark in await traces.broken() {
            let broken = DAVProbe(server: server, base: base, mark: mark, oddNames: oddNames)
            if try await broken.clear() { await traces.end(mark) }
        }
        let probe = DAVProbe(server: server, base: base, oddNames: oddNames)
        await traces.begin(probe.mark)
        defer { ProbeTraces.leave(probe.mark) }
        if try await probe.run(&profile) { await traces.end(probe.mark) }
    }

    // MARK: Where it is

    /// The URL as it was given, or where a cloud that lives there has its WebDAV.
    private func root() async throws(SubmitFailure) -> ServerProfile {
        var profile = ServerProfile()
        profile.root = server.endpoint.basePath
        if let base = cloudBase, let cloud = try await cloud(at: base) { (profile.root, profile.account) = cloud }
        let answer = try await server.propfind(profile.rootPath, DAVResource.properties, depth: "0", about: nil)
        if answer.status == 207 { return profile }
        if answer.status == 401 { throw failure(answer, profile) }
        if let cloud = try await cloud(at: server.endpoint.basePath) {
            (profile.root, profile.account) = cloud
            let there = try await server.propfind(profile.rootPath, DAVResource.properties, depth: "0", about: nil)
            if there.status == 207 { return profile }
            throw failure(there, profile)
        }
        // What stores files and lists none is still of use.
        if [405, 501].contains(answer.status), try await takesFiles(profile) {
            profile.lists = false
            return profile
        }
        throw failure(answer, profile)
    }

    private func failure(_ answer: HTTPResponse, _ profile: ServerProfile) -> SubmitFailure {
        server.failure(answer, at: profile.rootPath.description, file: nil)
    }

    private func takesFiles(_ profile: ServerProfile) async throws(SubmitFailure) -> Bool {
        let answer = try await server.send(.options(profile.rootPath))
        let allowed = answer["Allow"].map(Self.words)
        return answer.isSuccess && (allowed?.contains("put") ?? true)
    }

    /// Nextcloud, ownCloud and their like answer at their base (facts: `status.php` of ownCloud's and Nextcloud's
    /// "basic client APIs").
    private func cloud(at base: String) async throws(SubmitFailure) -> (path: String, account: String?)? {
        guard let status = try await cloudStatus(base), status.installed ?? true else { return nil }
        // It asks for credentials here, and not where it is asked for the account, which it just does not tell without.
        let older = DAVPath(href: base + "/remote.php/webdav/") ?? .root
        let answer = try await server.propfind(older, DAVResource.properties, depth: "0", about: nil)
        if answer.status == 401 { throw server.failure(answer, at: older.description, file: nil) }
        guard let account = try await account(base) ?? user else { return nil }
        return (Self.files(of: account, at: base), account)
    }

    private static func files(of account: String, at base: String) -> String {
        "\(base)/remote.php/dav/files/\(PercentEncoding.encode(account))"
    }

    /// Where a cloud is whose WebDAV was given, but not the part of it that holds the account's files.
    private var cloudBase: String? {
        ["/remote.php", "/remote.php/dav", "/remote.php/dav/files"].lazy.compactMap {
            [path = server.endpoint.basePath] in
            path.hasSuffix($0) ? String(path.dropLast($0.utf8.count)) : nil
        }.first
    }

    private struct CloudStatus: Decodable {
        var installed: Bool?
        var maintenance: Bool?
        var productname: String?
        var version: String?
    }

    private func cloudStatus(_ base: String) async throws(SubmitFailure) -> CloudStatus? {
        let answer = try await server.send(DAVRequest("GET", base + "/status.php"))
        guard answer.isSuccess else { return nil }
        return try? JSONDecoder().decode(CloudStatus.self, from: Data(answer.body))
    }

    /// The account's id, which need not be the name that signs in ("Get user details" of Nextcloud's OCS API).
    private func account(_ base: String) async throws(SubmitFailure) -> String? {
        struct Answer: Decodable {
            struct OCS: Decodable { var data: User }
            struct User: Decodable { var id: String }
            var ocs: OCS
        }
        let answer = try await server.send(
            DAVRequest("GET", base + "/ocs/v1.php/cloud/user?format=json", headers: [("OCS-APIRequest", "true")]))
        guard answer.isSuccess else { return nil }
        return (try? JSONDecoder().decode(Answer.self, from: Data(answer.body)))?.ocs.data.id
    }

    // MARK: What it is

    private func ask(_ profile: inout ServerProfile) async throws(SubmitFailure) {
        let options = try await server.send(.options(profile.rootPath))
        profile.classes = Set(options.headers.filter { $0.name.lowercased() == "dav" }.flatMap { Self.words($0.value) })
        let software = (options["Server"] ?? "").lowercased()
        profile.vendor = Self.vendor(software, profile.classes, options)
        if let base = profile.root.firstRange(of: "/remote.php/").map({ String(profile.root[..<$0.lowerBound]) }) {
            try await askCloud(base, &profile)
        }
        if var offer = TusOffer(options) {
            offer.largestPiece = try await server.largestTusPiece(of: profile)
            profile.upload = .tus(offer)
        }
    }

    private func askCloud(_ base: String, _ profile: inout ServerProfile) async throws(SubmitFailure) {
        guard let status = try await cloudStatus(base) else { return }
        let product = (status.productname ?? "").lowercased()
        profile.vendor =
            product.contains("infinite scale") || product.contains("opencloud")
            ? .infiniteScale : product.contains("owncloud") ? .ownCloud : .nextcloud
        if status.maintenance == true {
            throw SubmitFailure(
                .hold(.unreachable, after: nil), code: "maintenance",
                message: "“\(server.host)” is being maintained: its submissions wait until that is over.")
        }
        guard let account = try await account(base) ?? profile.account ?? user else { return }
        profile.account = account
        guard profile.vendor != .infiniteScale else { return }
        // Pieces are put together within `dav` only, and not at the older address of the same files.
        let older = "\(base)/remote.php/webdav"
        if (profile.root + "/").hasPrefix(older + "/") {
            var there = profile
            there.root = Self.files(of: account, at: base) + profile.root.dropFirst(older.utf8.count)
            let answer = try await server.propfind(there.rootPath, DAVResource.properties, depth: "0", about: nil)
            if answer.status == 207 { profile = there }
        }
        guard profile.root.hasPrefix("\(base)/remote.php/dav/") else { return }
        profile.upload = .pieces(collection: "\(base)/remote.php/dav/uploads/\(PercentEncoding.encode(account))")
    }

    private static func vendor(
        _ software: String, _ classes: Set<String>, _ options: HTTPResponse
    ) -> ServerProfile.Vendor {
        if classes.contains("sabredav-partialupdate") || options["X-Sabre-Version"] != nil
            || classes.contains(where: { $0.hasPrefix("sabredav") })
        {
            return .sabreDAV
        }
        let known: [(String, ServerProfile.Vendor)] = [
            ("synology", .synology), ("apache", .apache), ("nginx", .nginx), ("lighttpd", .lighttpd),
            ("rclone", .rclone),
        ]
        return known.first { software.contains($0.0) }?.1 ?? .unknown
    }

    /// The words of a list, in lower case.
    private static func words(_ list: String) -> Set<String> {
        Set(list.lowercased().split { $0 == "," || $0 == " " }.map(String.init))
    }
}

internal import Crypto
internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitXML

/// Tries on scratch files what a server really does, and removes them.
///
/// Nothing of it is believed because of what the server says of itself: there are those that answer 201 and keep
/// something else. What does not need each other's files is tried side by side: over a long line each request takes its
/// time, and there are some seventy.
struct DAVProbe {
    let server: DAVServer
    /// Where the scratch files lie for a moment.
    let base: DAVPath
    /// What no other probe has in its names.
    let mark: String
    /// Which odd names are tried.
    let oddNames: OddNames
    /// What an upload stored beside a file that was there.
    private let strays = Locked<Set<DAVPath>>([])
    private let storesBeside = Locked(false)

    init(server: DAVServer, base: DAVPath, mark: String? = nil, oddNames: OddNames = OddNames()) {
        self.server = server
        self.base = base
        self.oddNames = oddNames
        self.mark = mark ?? Hexadecimal.text(of: (0..<4).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// No other file has it, so that it is known again wherever it comes to.
    var content: [UInt8] { Array("probe \(mark)".utf8) }
    static let addition = Array("wxyz".utf8)
    /// 2001-09-09T01:46:40Z: no time at which anything is stored.
    static let date: Int64 = 1_000_000_000

    /// - Returns: whether nothing of it is left, as far as the server tells.
    func run(_ profile: inout ServerProfile) async throws(SubmitFailure) -> Bool {
        var scratch = scratch(on: profile)
        var failure: SubmitFailure?
        do throws(SubmitFailure) {
            try await hiding(&profile)
            scratch = self.scratch(on: profile)
            try await tryAll(scratch, &profile)
        } catch {
            failure = error
        }
        var isGone = false
        do throws(SubmitFailure) {
            isGone = try await remove(
                scratch.paths + alikes(scratch) + [DAVNameProbe.folder(scratch.names[0], in: base)])
            let beside =
                storesBeside.withLock { $0 } && profile.lists
                ? try await members() : Array(strays.withLock { $0 })
            isGone = try await remove(beside) && isGone
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
        return isGone
    }

    private func tryAll(_ scratch: Scratch, _ profile: inout ServerProfile) async throws(SubmitFailure) {
        let asked = profile
        async let uploads = ended { () async throws(SubmitFailure) in try await storing(scratch, asked) }
        async let moved = ended { () async throws(SubmitFailure) in try await moving(scratch, asked) }
        let (stored, shifted) = await (uploads, moved)
        profile = try stored.get()
        let moves = try shifted.get()
        (profile.sparesOthers, profile.moves) = (moves.sparesOthers, moves.isMoved)
        profile.mayNotMove = moves.isDenied
        if moves.isMoved {
            profile.hasFileIDs =
                profile.hasFileIDs && moves.after?.fileID != nil && moves.after?.fileID == moves.before?.fileID
        }

        let known = profile
        async let marking = ended { () async throws(SubmitFailure) in try await marks(moves, scratch, known) }
        async let conditional = ended { () async throws(SubmitFailure) in
            try await heedsConditions(scratch[4], scratch[3], known)
        }
        async let changes = ended { () async throws(SubmitFailure) in try await changing(scratch[5], known) }
        async let resuming = ended { () async throws(SubmitFailure) in
            var found = known
            try await TusProbe(server: server, base: base, mark: mark).run(&found)
            return found.upload
        }
        let (marked, heeds, changed, upload) = await (marking, conditional, changes, resuming)
        profile = try changed.get()
        (profile.movesKeepETags, profile.etagsTellFiles) = try marked.get()
        profile.heedsIf = try heeds.get()
        profile.upload = try upload.get()
        // Last, and nothing beside them: there are servers that die of a name.
        try await odd(scratch, &profile)
    }

    private func odd(_ scratch: Scratch, _ profile: inout ServerProfile) async throws(SubmitFailure) {
        let known = profile
        if oddNames.mayTry(.letters) {
            (profile.normalises, profile.foldsCase) = try await oddNames.trying(.letters) {
                () async throws(SubmitFailure) in try await names(alike(scratch), known)
            }
        }
        if oddNames.mayTry(.signs), oddNames.mayTry(.letters) {
            profile.names = try await oddNames.trying(.signs) { () async throws(SubmitFailure) in
                try await DAVNameProbe(
                    server: server, folder: DAVNameProbe.folder(scratch.names[0], in: base), profile: known
                ).rules()
            }
        } else {
            profile.names = .careful
        }
        if !oddNames.mayTry(.letters) { profile.names.refusesNonASCII = true }
    }

    /// Removes whatever a probe of this mark may have left that did not come to its end.
    ///
    /// - Returns: as ``run(_:)``.
    func clear() async throws(SubmitFailure) -> Bool {
        var isGone = true
        for hidden in [TemporaryName.mark, TemporaryName.plainMark] {
            let stem = "\(hidden)probe-\(mark)"
            let scratch = Scratch(names: (0..<6).map { "\(stem)-\($0)" }, base: base)
            let folders =
                [stem, scratch.names[4] + "-missing", scratch.names[5] + "-missing"].map {
                    base.appending($0, isCollection: true)
                }
                + [DAVNameProbe.folder(scratch.names[0], in: base)]
            let names = [stem] + TusProbe.names(mark, isHidden: hidden == TemporaryName.mark)
            let all = scratch.paths + names.map { base.appending($0) } + folders
            isGone = try await remove(all) && isGone
            if oddNames.mayTry(.letters) {
                isGone =
                    try await oddNames.counting(.letters) { () async throws(SubmitFailure) in
                        try await remove(alike(scratch).path)
                    } && isGone
            }
            for path in scratch.paths { try await removeAstray(path) }
        }
        return try await remove(try await members()) && isGone
    }

    /// What lies in the collection with the mark in its name, whatever the server has added to that.
    private func members() async throws(SubmitFailure) -> [DAVPath] {
        do throws(SubmitFailure) {
            let names = try await server.list(base, properties: [.dav("resourcetype")])?.members.compactMap(\.path.name)
            return (names ?? []).filter { $0.contains("probe-\(mark)") }.map { base.appending($0) }
        } catch {
            // Some list nothing, and some never come to the end of it.
            guard ["not-webdav", "bad-answer", "denied"].contains(error.code) else { throw error }
            return []
        }
    }

    /// Remembers what an upload says that it stored somewhere else.
    private func note(_ answer: HTTPResponse, _ path: DAVPath) {
        guard case .path(let text) = TusLocation(answer["Location"], from: path.encoded, at: server.endpoint),
            let name = DAVPath(href: text)?.name, name != path.name, name.contains("probe-\(mark)"),
            let parent = path.parent
        else { return }
        strays.withLock { _ = $0.insert(parent.appending(name)) }
        storesBeside.withLock { $0 = true }
    }

    /// What has letters beyond ASCII in its name, unless the server may be gone because of them.
    private func alikes(_ scratch: Scratch) -> [DAVPath] { oddNames.hasBroken(.letters) ? [] : [alike(scratch).path] }

    /// An upload over a file was answered as a new one.
    func noteMaking() { storesBeside.withLock { $0 = true } }

    /// What is missing where scratch files cannot be removed.
    ///
    /// - Parameter file: one of them.
    private func mayNotDelete(_ file: DAVPath) async throws(SubmitFailure) -> SubmitFailure {
        let to = (file.parent ?? base).appending("\(file.name ?? "")-moved", isCollection: file.isCollection)
        let answer = try await move(file, to)
        if answer.isSuccess { _ = try await move(to, file) }
        // It is looked for as a file and as a collection at once: one of the two may find it moved.
        let mayMove = answer.status != 403
        let missing = mayMove ? "delete" : "move or delete"
        return SubmitFailure(
            .hold(.misconfigured, after: nil), code: "no-right-to-delete",
            message: "“\(server.destination)” cannot be used: “\(server.host)” lets us write to “\(base)”, and not "
                + "\(missing) there. Give the account the right to \(mayMove ? "delete" : "move and delete") "
                + "files, and try again.")
    }

    /// Removes what is there of it. Whoever cannot ask for all of it has to come again.
    ///
    /// - Returns: whether nothing is left that may be gone another time.
    private func remove(_ paths: [DAVPath]) async throws(SubmitFailure) -> Bool {
        let outcomes = await withTaskGroup { group in
            for path in paths {
                group.addTask { await ended { () async throws(SubmitFailure) in try await remove(path) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var isGone = true
        for outcome in outcomes { isGone = try outcome.get() && isGone }
        return isGone
    }

    private func remove(_ path: DAVPath) async throws(SubmitFailure) -> Bool {
        var answer = try await server.send(DAVRequest("DELETE", path.encoded))
        // A server that stumbles often does so once.
        if answer.status >= 500 || [423, 429].contains(answer.status) {
            answer = try await server.send(DAVRequest("DELETE", path.encoded))
        }
        if answer.status == 403, await isThere(path) { throw try await mayNotDelete(path) }
        let isLocked = [423, 428].contains(answer.status)
        if isLocked {
            // Others' locks end; one that is demanded of us has to be had first.
            let failure = server.failure(answer, at: path.description, file: nil)
            if failure.code == DAVServer.lockRequired { throw failure }
        }
        return !(isLocked || answer.status == 429 || answer.status >= 500 && answer.status != 501)
    }

    /// Whether the server says that something is there.
    private func isThere(_ path: DAVPath) async -> Bool {
        do throws(SubmitFailure) {
            return try await server.file(path, lists: true, about: nil) != nil
        } catch {
            return false
        }
    }

    private func scratch(on profile: ServerProfile) -> Scratch {
        Scratch(names: (0..<6).map { "\(TemporaryName.mark(on: profile))probe-\(mark)-\($0)" }, base: base)
    }

    struct Scratch: Sendable {
        let names: [String]
        let base: DAVPath

        subscript(_ index: Int) -> DAVPath { base.appending(names[index]) }
        var paths: [DAVPath] { names.indices.map { self[$0] } }
    }

    /// Some keep names that begin with a dot to themselves.
    private func hiding(_ profile: inout ServerProfile) async throws(SubmitFailure) {
        let folder = base.appending("\(TemporaryName.mark)probe-\(mark)", isCollection: true)
        let made = try await make(folder)
        profile.makesCollections = made.isSuccess
        profile.takesHidden = made.status != 403
        guard made.isSuccess else { return }
        profile.tellsWhatItMade = try await !make(folder).isSuccess
        let file = folder.appending("\(TemporaryName.mark)probe")
        let answer = try await put(file, content)
        var isRead = true
        if answer.isSuccess {
            do throws(SubmitFailure) {
                try await sizes(of: file, &profile)
            } catch {
                guard error.code == "denied" else { throw error }
                isRead = false
            }
        }
        // nginx stores them and does not list them, so that nobody would find what was left.
        let isListed = profile.lists ? try await server.list(folder)?.members.isEmpty == false : true
        if try await !remove(folder) { try await server.delete(folder) }
        profile.takesHidden = answer.status != 403 && isListed && isRead
    }

    /// What an upload is answered with, what it makes, and whether it does so over others.
    private func storing(_ scratch: Scratch, _ asked: ServerProfile) async throws(SubmitFailure) -> ServerProfile {
        var profile = asked
        try await storing(scratch[0], &profile)
        try await sparing(scratch[0], scratch[1], &profile)
        return profile
    }

    private func storing(_ path: DAVPath, _ profile: inout ServerProfile) async throws(SubmitFailure) {
        let sha1 = Hexadecimal.text(of: Insecure.SHA1.hash(data: content))
        let answer = try await put(
            path, content,
            headers: [
                ("X-OC-Mtime", "\(Self.date)"), ("X-Hash", "sha256"), ("OC-Checksum", "SHA1:\(sha1)"),
                ("Date", HTTPDate.format(Timestamp(nanoseconds: Self.date * 1_000_000_000))),
            ])
        guard answer.isSuccess else { throw server.failure(answer, at: path.description, file: nil) }
        profile.answersHash =
            answer["X-Hash-SHA256"]?.lowercased() == Hexadecimal.text(of: SHA256.hash(data: content))
        try await sizes(of: path, &profile)
        guard let stored = try await look(path, profile), stored.size == Int64(content.count) else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "not-stored",
                message: "“\(server.host)” said yes to a file and did not store it at “\(path)”: check the URL of "
                    + "“\(server.destination)”.")
        }
        let md5 = Hexadecimal.text(of: Insecure.MD5.hash(data: content))
        profile.etagsAreMD5 = stored.etag.map(unquoted) == md5
        if stored.checksums.hexadecimal(.sha1) == sha1 { profile.checksum = .echoed }
        profile.hasFileIDs = stored.fileID != nil
        if profile.classes.contains("nextcloud-checksum-update") {
            profile.computesDigests =
                try await server.computedDigest(of: path) == Array(SHA256.hash(data: content))
        }
        if answer["X-OC-MTime"]?.lowercased() == "accepted" {
            profile.dating = .ocMtime
        } else if try await isDated(path, profile) {
            profile.dating = answer["X-OC-MTime"] == nil ? .date : .ocMtime
        }
    }

    /// Which way tells how large the content is that was stored.
    private func sizes(of path: DAVPath, _ profile: inout ServerProfile) async throws(SubmitFailure) {
        guard profile.lists, profile.sizes == .anyWay else { return }
        let count = Int64(content.count)
        let listed = try await server.settled(path, lists: true)
        let head = try await server.settled(path, lists: false)
        // What is not there says nothing.
        guard let listed, let head else { return }
        switch (listed.size == count, head.size == count) {
        case (true, false): profile.sizes = .listings
        case (false, true): profile.sizes = .heads
        case (true, true), (false, false): break
        }
        server.sizes = profile.sizes
    }

    private func isDated(_ path: DAVPath, _ profile: ServerProfile) async throws(SubmitFailure) -> Bool {
        if profile.lists {
            return try await server.properties(path, DAVResource.properties)?.modified?.seconds == Self.date
        }
        let head = try await server.send(DAVRequest("HEAD", path.encoded))
        return head["Last-Modified"].flatMap { HTTPDate.parse($0, now: server.time) }?.seconds == Self.date
    }

    /// Whether it stores over others, and what does not fit.
    private func sparing(
        _ taken: DAVPath, _ free: DAVPath, _ profile: inout ServerProfile
    ) async throws(SubmitFailure) {
        let again = try await put(taken, Self.addition, headers: [("If-None-Match", "*")])
        let isSpared = try await holds(taken, content, profile)
        profile.honoursIfNoneMatch = again.status == 412 && isSpared
        if again.isSuccess, isSpared { storesBeside.withLock { $0 = true } }
        if profile.checksum != nil {
            let wrong = try await put(
                free, content, headers: [("OC-Checksum", "SHA1:\(String(repeating: "0", count: 40))")])
            if !wrong.isSuccess, try await look(free, profile) == nil { profile.checksum = .verified }
        }
    }

    /// What can be done with what is there.
    private func changing(_ path: DAVPath, _ asked: ServerProfile) async throws(SubmitFailure) -> ServerProfile {
        var profile = asked
        guard try await put(path, content).isSuccess else { return profile }
        if profile.moves {
            profile.movesNowhere = try await movesNowhere(path, profile)
            if profile.movesNowhere { _ = try await put(path, content) }
        }
        profile.partial = try await partial(path, profile)
        try await properties(path, &profile)
        return profile
    }

    /// Adds to a file, twice: the one that adds, leaves what was there, and says after the first time that it has no more
    /// than that, is safe. Apache Tomcat makes the file as long as the whole at once.
    private func partial(
        _ path: DAVPath, _ profile: ServerProfile
    ) async throws(SubmitFailure) -> ServerProfile.PartialWrite? {
        let whole = content + Self.addition + Self.addition
        for kind in [ServerProfile.PartialWrite.patch, .contentRange] {
            if kind == .patch, !profile.classes.contains("sabredav-partialupdate") { continue }
            var held = content
            while held.count < whole.count {
                let answer = try await server.send(
                    PartialUpload.request(
                        kind, path, .bytes(Self.addition), at: Int64(held.count), of: Int64(whole.count)))
                let wasTaken = answer.isSuccess
                held += Self.addition
                if wasTaken, try await holds(path, held, profile) { continue }
                // It kept something else, and would do so again.
                if wasTaken { _ = try await put(path, content) }
                held = []
                break
            }
            if !held.isEmpty { return kind }
        }
        return nil
    }

    private func properties(_ path: DAVPath, _ profile: inout ServerProfile) async throws(SubmitFailure) {
        guard profile.lists else { return }
        let dead = XMLName("probe", namespace: DAVProperty.namespace)
        if try await server.set([ProppatchBody.Value(name: dead, text: mark)], of: path) {
            profile.keepsProperties = try await server.text(of: dead, of: path) == mark
        }
        if profile.dating == nil {
            let time = HTTPDate.format(Timestamp(nanoseconds: Self.date * 1_000_000_000))
            if try await server.set([ProppatchBody.Value(name: .dav("getlastmodified"), text: time)], of: path),
                try await isDated(path, profile)
            {
                profile.dating = .property
            }
        }
    }

    /// A name whose letters have two forms and two cases.
    private func alike(_ scratch: Scratch) -> (path: DAVPath, others: (form: DAVPath, letter: DAVPath)) {
        let stem = scratch.names[0]
        return (
            base.appending(stem + "-e\u{301}A"),
            (base.appending(stem + "-\u{e9}A"), base.appending(stem + "-e\u{301}a"))
        )
    }

    private func names(
        _ names: (path: DAVPath, others: (form: DAVPath, letter: DAVPath)), _ profile: ServerProfile
    ) async throws(SubmitFailure) -> (normalises: Bool, foldsCase: Bool) {
        guard try await put(names.path, content).isSuccess else { return (false, false) }
        return (
            try await look(names.others.form, profile) != nil, try await look(names.others.letter, profile) != nil
        )
    }

    // MARK: Steps

    func put(
        _ path: DAVPath, _ content: [UInt8], headers: [(name: String, value: String)] = []
    ) async throws(SubmitFailure) -> HTTPResponse {
        let answer = try await server.send(DAVRequest("PUT", path.encoded, headers: headers, body: .bytes(content)))
        if answer.isOfDestination {
            throw server.failure(answer, at: path.description, file: nil)
        }
        if answer.isSuccess { note(answer, path) }
        return answer
    }

    /// - Parameter etag: what is replaced has to have; `nil` where nothing may be replaced.
    func move(
        _ from: DAVPath, _ to: DAVPath, ifItIs etag: String? = nil
    ) async throws(SubmitFailure) -> HTTPResponse {
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await server.move(
                from, to: to, replaces: etag != nil, headers: etag.map { [server.condition($0, on: to)] } ?? [])
        } catch {
            throw error.submitFailure(host: server.host, file: nil)
        }
        // 502 is also said of a `Destination` that is taken for another server's (RFC 4918, section 9.9.4).
        if answer.isOfDestination, answer.status != 502 { throw server.failure(answer, at: to.description, file: nil) }
        return answer
    }

    private func make(_ folder: DAVPath) async throws(SubmitFailure) -> HTTPResponse {
        let answer = try await server.send(DAVRequest("MKCOL", folder.encoded))
        if answer.isOfDestination { throw server.failure(answer, at: folder.description, file: nil) }
        return answer
    }

    func look(_ path: DAVPath, _ profile: ServerProfile) async throws(SubmitFailure) -> StoredFile? {
        try await server.settled(path, lists: profile.lists)
    }

    func holds(
        _ path: DAVPath, _ content: [UInt8], _ profile: ServerProfile
    ) async throws(SubmitFailure) -> Bool {
        async let looking = ended { () async throws(SubmitFailure) in try await look(path, profile) }
        async let reading = ended { () async throws(SubmitFailure) in
            try await server.send(DAVRequest("GET", path.encoded))
        }
        let (looked, read) = await (looking, reading)
        guard try looked.get()?.size == Int64(content.count) else { return false }
        let answer = try read.get()
        // What cannot be read is judged by its size.
        return answer.status == 200 ? answer.body == content : true
    }
}

internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer

/// An item on its way to its place: brought to a temporary name once, and moved to the first place that is free.
final class StagedUpload: Sendable {
    let load: UploadJob
    let server: DAVServer
    private let collections: Collections
    private let base: DAVPath
    private let carrier: any UploadStrategy
    /// What was found of the item under its temporary name; `nil` while it is not there.
    private let found = Locked<CopyProof.Finding?>(nil)
    /// Where something else lay though it had been stored there, each time.
    private let replacements = Locked<[DAVPath]>([])
    /// What the server does not keep of it: a sentence for the receipt.
    private let note = Locked<String?>(nil)

    /// Where it lies until then, with others.
    private let staging: StagingCollection?
    /// Who looks at its place; `nil` where it is looked at by itself.
    let lookup: BatchedLookup?

    init(
        server: DAVServer, collections: Collections, load: UploadJob, base: DAVPath, carrier: any UploadStrategy,
        staging: StagingCollection? = nil, lookup: BatchedLookup? = nil
    ) {
        self.server = server
        self.collections = collections
        self.load = load
        self.base = base
        self.carrier = carrier
        self.staging = staging
        self.lookup = lookup
    }

    /// Another item on its way to the same collection.
    func second(_ load: UploadJob, _ carrier: any UploadStrategy) -> StagedUpload {
        StagedUpload(server: server, collections: collections, load: load, base: base, carrier: carrier)
    }

    private var item: MediaItem { load.item }

    private var proof: CopyProof {
        CopyProof(
            server: server, digests: load.digests, verification: load.context.verification, profile: load.profile)
    }

    private var properties: ItemProperties { ItemProperties(server: server, load: load) }

    /// The copy's identity: its path in the destination's collection, as people read it.
    func id(of path: DAVPath) -> String {
        path.segments.dropFirst(base.segments.count).joined(separator: "/")
    }

    private func receipt(_ path: DAVPath, of file: StoredFile, _ evidence: Evidence, wasThere: Bool) -> Receipt {
        Receipt(
            remoteID: id(of: path), url: server.url(path.encoded), evidence: evidence, wasThere: wasThere,
            note: wasThere ? nil : whatIsMissing, marks: file.marks)
    }

    private var whatIsMissing: String? {
        let date =
            load.losesDate ? "“\(server.host)” does not take the file's date, so the copy has its upload's date." : nil
        let notes = [note.withLock { $0 }, date].compactMap { $0 }
        return notes.isEmpty ? nil : notes.joined(separator: " ")
    }

    /// What is at a place.
    enum Sight {
        case nothing
        case same(Receipt)
        case other(StoredFile)
    }

    /// What came of bringing the item to a place.
    enum Landing {
        case done(Receipt)
        /// Something came there before it, or instead of it, that may not be replaced.
        case taken
        /// The server said yes, and nothing is there.
        ///
        /// - Parameter isCut: it was seen that it came to another name.
        case astray(isCut: Bool)
    }

    func look(at path: DAVPath) async throws(SubmitFailure) -> Sight {
        guard let file = try await server.file(path, lists: proof.asksForMore, about: item.name) else {
            return .nothing
        }
        // An earlier attempt has moved it there, and nobody heard of it. An ETag may be no more than a size and a date.
        if let evidence = provenBefore(file),
            try await server.file(load.temporary, lists: proof.asksForMore, about: item.name) == nil
        {
            return .same(receipt(path, of: file, evidence, wasThere: true))
        }
        if let evidence = try await proof.evidence(that: file, at: path) {
            return .same(receipt(path, of: file, evidence, wasThere: true))
        }
        // What an earlier attempt of ours has begun where nothing can be moved, and nothing of another's.
        if !load.profile.moves, UploadCheckpoint(load.context.checkpoint)?.temporary == path.encoded,
            try await proof.holdsBeginning(file, at: path)
        {
            try await server.delete(path, ifItIs: file.etag, about: item.name)
            return .nothing
        }
        // What an earlier attempt moved there.
        let wasMoved = UploadCheckpoint(load.context.checkpoint)?.moved?.contains(path.encoded) ?? false
        if wasMoved, file.size == item.size, !replacements.withLock({ $0.contains(path) }) {
            _ = try replaced(at: path)
        }
        return .other(file)
    }

    /// Whether what is at a place is a file that is called so, and not only found under that name, as another photo is whose
    /// letters are of the other case.
    func isMeant(_ file: StoredFile, at path: DAVPath) async throws(SubmitFailure) -> Bool {
        // By HEAD some tell of a collection as of a file (reva, alist), and what replaces it takes all that is in it away.
        var file = file
        if load.profile.lists, !proof.asksForMore, !file.isCollection {
            guard let told = try await server.file(path, lists: true, about: item.name) else { return false }
            file = told
        }
        if file.isCollection || file.size == nil { return false }
        guard load.profile.foldsCase else { return true }
        guard load.profile.lists, let collection = path.parent else { return false }
        let listing: DAVListing?
        do throws(SubmitFailure) {
            listing = try await server.list(collection, properties: [.dav("resourcetype")], about: item.name)
        } catch {
            // Some listings never come to their end.
            guard error.code == "bad-answer" else { throw error }
            return false
        }
        // Canonically equivalent names are equal here: no two photos have them.
        return listing?.members.contains { $0.path.name == path.name } ?? false
    }

    /// Brings the item to a place.
    ///
    /// - Parameter seen: what may be replaced, as it was seen; `nil` where nothing may be.
    func arrive(at path: DAVPath, replacing seen: StoredFile?) async throws(SubmitFailure) -> Landing {
        defer { leaveStaging() }
        do throws(SubmitFailure) {
            guard load.profile.moves else {
                return try await server.locking(load.lock(path.parent ?? base, isDeep: true), about: item.name) {
                    () async throws(SubmitFailure) in try await arriveDirectly(at: path, replacing: seen)
                }
            }
            try await bring()
            try load.bytes.verifyUnchanged()
            // Others may have stored there while the item was on its way, and the server would not stop us.
            if seen == nil, !load.profile.sparesOthers,
                try await server.file(path, lists: proof.asksForMore, about: item.name) != nil
            {
                return .taken
            }
            for _ in 0..<Self.mostMoves {
                let isMoved = try await server.locking(load.lock(path.parent ?? base, isDeep: true), about: item.name) {
                    () async throws(SubmitFailure) in try await move(to: path, replacing: seen)
                }
                guard isMoved else { return .taken }
                leaveStaging()
                if let landing = try await landed(at: path) { return landing }
            }
            return try stayed(insteadOf: path)
        } catch {
            throw await obstacle.explained(error, at: path)
        }
    }

    private func leaveStaging() { if let name = load.temporary.name { staging?.left(name) } }

    /// How often it is moved where the server says yes each time and leaves it where it was: once may be by chance.
    private static let mostMoves = 2

    /// Looks whether what was moved is where it should be.
    ///
    /// - Returns: `nil` where it is still where it was.
    private func landed(at path: DAVPath) async throws(SubmitFailure) -> Landing? {
        guard let finding = found.withLock({ $0 }) else { return .astray(isCut: false) }
        var file =
            if let lookup { try await lookup.file(path, about: item.name) } else {
                try await server.fileForSure(path, lists: proof.asksForMore, about: item.name)
            }
        if file == nil {
            if try await server.file(load.temporary, lists: proof.asksForMore, about: item.name) != nil { return nil }
            // Some tell of what they have only in a moment (Internxt).
            for _ in 0..<DAVServer.mostLooks where file == nil {
                file = try await server.file(path, lists: proof.asksForMore, about: item.name)
            }
        }
        // A server may still be at what a broken attempt has sent it, and make anew what was moved.
        if load.note(of: .partial) != nil { try? await server.delete(load.temporary, about: item.name) }
        if let file {
            if let evidence = try await proof.evidence(that: file, at: path, is: finding) {
                return .done(receipt(path, of: file, evidence, wasThere: false))
            }
            found.withLock { $0 = nil }
            return try replaced(at: path)
        }
        let isCut = try await broughtBack(finding, from: path)
        if !isCut { found.withLock { $0 = nil } }
        return .astray(isCut: isCut)
    }

    /// What comes of an item that does not leave its temporary name.
    ///
    /// - Throws: `not-moved` where its name cannot be the reason.
    private func stayed(insteadOf path: DAVPath) throws(SubmitFailure) -> Landing {
        if DAVNameRules.plain(path.name ?? "") != path.name { return .astray(isCut: true) }
        throw SubmitFailure(
            .retry(after: nil), code: "not-moved",
            message:
                "“\(server.host)” said that it moved “\(item.name)” to “\(path)”, and it is still where it was: try again."
        )
    }

    /// What lies where the item was stored is another's, who stored it in the same moment, and is left alone. Where that
    /// happens again and again it is what the server makes of the item, and every name, or attempt, would get one more.
    private func replaced(at path: DAVPath) throws(SubmitFailure) -> Landing {
        let count = replacements.withLock { paths in
            paths.append(path)
            return paths.count
        }
        guard count >= Self.mostReplacements else { return .taken }
        throw SubmitFailure(
            .giveUp, code: "not-stored",
            message:
                "“\(server.host)” said yes to “\(item.name)” \(count) times, and other bytes lie where it stored it, last at "
                + "“\(path)”: see what became of it at “\(server.destination)”, and submit it again.")
    }

    private static let mostReplacements = 3

    /// Moves back what came to another name than it should, where it is surely that.
    ///
    /// - Returns: whether it lies under its temporary name again.
    private func broughtBack(_ finding: CopyProof.Finding, from path: DAVPath) async throws(SubmitFailure) -> Bool {
        guard load.profile.lists, load.profile.sparesOthers, let collection = path.parent else { return false }
        let properties = DAVResource.fileProperties(on: load.profile)
        let members = try await server.list(collection, properties: properties, about: item.name)?.members ?? []
        guard let stray = members.first(where: { proof.isSurely(StoredFile($0), finding) }),
            try await proof.holds(stray.path)
        else { return false }
        do throws(HTTPFailure) {
            return try await server.move(stray.path, to: load.temporary, replaces: false, about: item.name).isSuccess
        } catch {
            throw error.submitFailure(host: server.host, file: item.name)
        }
    }

    private var obstacle: UploadObstacle { UploadObstacle(server: server, load: load) }

    /// - Returns: `false` where something has come there meanwhile.
    private func move(to path: DAVPath, replacing seen: StoredFile?) async throws(SubmitFailure) -> Bool {
        var condition: [(name: String, value: String)] = []
        if let seen {
            if load.profile.heedsIf, !server.held.areAny, let etag = seen.etag, !etag.hasPrefix("W/") {
                condition = [server.condition(etag, on: path)]
            } else {
                // Nothing keeps the server from replacing what is there by now.
                guard try await stands(seen, at: path) else { return false }
            }
        }
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await server.move(
                load.temporary, to: path, replaces: seen != nil, headers: load.movedDating + condition, about: item.name
            )
        } catch {
            try await noteMove(to: path)
            throw error.submitFailure(host: server.host, file: item.name)
        }
        if answer.status >= 500 { try await noteMove(to: path) }
        if load.dropsDate(after: answer.status) { return try await move(to: path, replacing: seen) }
        switch answer.status {
        case 200, 201, 204:
            if load.profile.movesNowhere,
                try await server.file(path, lists: proof.asksForMore, about: item.name) == nil
            {
                throw try await unmoved(answer, to: path)
            }
            return true
        case 412: return false
        default: throw try await unmoved(answer, to: path)
        }
    }

    /// The paths that earlier attempts noted with ``noteMove(to:)``. The item may be at any of them.
    var notedMoves: [DAVPath] {
        UploadCheckpoint(load.context.checkpoint)?.moved?.compactMap { DAVPath(href: $0) } ?? []
    }

    /// What lies there next time may be the item, or what the server made of it.
    func noteMove(to path: DAVPath) async throws(SubmitFailure) {
        var note = load.kept.withLock { $0 } ?? UploadCheckpoint(.whole, temporary: load.temporary)
        note.moved = Array(Set(note.moved ?? []).union([path.encoded])).sorted()
        try await load.keep(note)
    }

    /// Whether what was seen at a place is still there.
    private func stands(_ seen: StoredFile, at path: DAVPath) async throws(SubmitFailure) -> Bool {
        guard let now = try await server.file(path, lists: proof.asksForMore, about: item.name) else { return false }
        return !now.isCollection && now.size == seen.size && now.etag.map(unquoted) == seen.etag.map(unquoted)
    }

    /// Why it was not moved: where someone has removed a folder meanwhile, the next attempt makes it again.
    private func unmoved(_ answer: HTTPResponse, to path: DAVPath) async throws(SubmitFailure) -> SubmitFailure {
        let failure = server.failure(answer, at: path.description, file: item.name)
        guard answer.isSuccess || [404, 409, 500].contains(answer.status), load.profile.lists,
            let collection = path.parent
        else { return failure }
        let isThere = try await server.file(collection, lists: true, about: item.name) != nil
        if !isThere { collections.forget(collection) }
        let what = isThere ? "what was sent is no longer there" : "the folder was removed meanwhile"
        return SubmitFailure(
            .retry(after: nil), code: "conflict",
            message:
                "“\(item.name)” was not stored at “\(server.destination)” (\(server.host) answered \(answer.status) for “\(path)”): "
                + "\(what); it is tried again.")
    }

    private func bring() async throws(SubmitFailure) {
        if found.withLock({ $0 }) != nil { return }
        let before = try await findingBefore()
        let finding =
            if let before { before } else {
                // An attempt that was cut off may have left its lock there. Moved along, it would lock the item's place.
                try await server.locking(load.lock(load.temporary), about: item.name) {
                    () async throws(SubmitFailure) in
                    if let arrived = try await arrivedBefore() { return arrived }
                    return try await bringAnew()
                }
            }
        found.withLock { $0 = finding }
    }

    private func bringAnew() async throws(SubmitFailure) -> CopyProof.Finding {
        try await obstacle.room()
        let isLarge = item.size > Self.small
        if isLarge, load.context.checkpoint == nil, carrier is PlainUpload {
            try await load.keep(UploadCheckpoint(.whole, temporary: load.temporary))
        }
        let (finding, kept) = try await brought()
        try await describe(load.temporary)
        if isLarge {
            var note = kept ?? UploadCheckpoint(.whole, temporary: load.temporary)
            (note.evidence, note.etag) = (finding.evidence, finding.etag)
            try await load.keep(note)
        }
        return finding
    }

    private func brought() async throws(SubmitFailure) -> (CopyProof.Finding, UploadCheckpoint?) {
        guard let staging, let name = load.temporary.name else {
            let result = try await carrier.bring(load)
            return (try await proof.evidence(of: result, at: load.temporary), result.note)
        }
        let makings = staging.makings
        do throws(SubmitFailure) {
            return try await brought(to: staging, as: name)
        } catch {
            guard ["conflict", "not-found", "not-stored", "server-error"].contains(error.code),
                try await staging.isGone(since: makings, about: item.name)
            else { throw error }
            return try await brought(to: staging, as: name)
        }
    }

    private func brought(
        to staging: StagingCollection, as name: String
    ) async throws(SubmitFailure) -> (CopyProof.Finding, UploadCheckpoint?) {
        let result = try await staging.sending(name, about: item.name) { () async throws(SubmitFailure) in
            try await carrier.bring(load)
        }
        let finding = try await proof.evidence(of: result, at: load.temporary) {
            [self] () async throws(SubmitFailure) in
            if let file = try await staging.file(name, size: item.size) { return file }
            return try await server.file(load.temporary, lists: proof.asksForMore, about: item.name)
        }
        return (finding, result.note)
    }

    /// What an earlier attempt found which has brought all of the item, if that is still there.
    private func findingBefore() async throws(SubmitFailure) -> CopyProof.Finding? {
        guard let note = UploadCheckpoint(load.context.checkpoint), note.evidence != nil,
            let file = try await server.file(load.temporary, lists: proof.asksForMore, about: item.name),
            let evidence = provenBefore(file)
        else { return nil }
        return CopyProof.Finding(evidence: evidence, etag: file.etag, fileID: file.fileID)
    }

    /// Looks at what an earlier attempt left under the temporary name. Its request may have arrived whole though no answer
    /// came, e.g. while the server scanned it.
    ///
    /// - Returns: `nil` if it isn't the item. It is removed then: where nothing is replaced it would stay, and be taken for
    ///   the item that is stored beside it.
    private func arrivedBefore() async throws(SubmitFailure) -> CopyProof.Finding? {
        guard load.context.attempt > 1, carrier is PlainUpload,
            let file = try await server.file(load.temporary, lists: proof.asksForMore, about: item.name)
        else { return nil }
        if let evidence = try await proof.evidence(that: file, at: load.temporary) {
            load.context.sent(item.size)
            load.context.landed(item.size)
            try await describe(load.temporary)
            return CopyProof.Finding(evidence: evidence, etag: file.etag, fileID: file.fileID)
        }
        if !server.held.areDemanded { try? await server.delete(load.temporary, about: item.name) }
        return nil
    }

    private func provenBefore(_ file: StoredFile) -> Evidence? {
        guard let note = UploadCheckpoint(load.context.checkpoint), let evidence = note.evidence, let etag = note.etag,
            load.context.verification == .usual || evidence == .verified,
            file.etag == etag, !etag.hasPrefix("W/"), file.size == item.size
        else { return nil }
        return evidence
    }

    /// Bytes up to which an item is rather sent again than noted.
    private static let small: Int64 = 1 << 20

    /// Where nothing can be moved, an item is stored at its place at once.
    ///
    /// - Parameter isConditional: what was seen there has to be there.
    private func arriveDirectly(
        at path: DAVPath, replacing seen: StoredFile?, isConditional: Bool = true
    ) async throws(SubmitFailure) -> Landing {
        let strong = seen?.etag.flatMap { $0.hasPrefix("W/") || !isConditional ? nil : $0 }
        let condition = seen == nil ? ("If-None-Match", "*") : strong.map { ("If-Match", $0) }
        let direct = UploadJob(
            load.digests, context: load.context, temporary: path, profile: load.profile,
            wishes: load.wishes, condition: condition)
        direct.isUndated.withLock { $0 = load.isUndated.withLock { $0 } }
        if seen == nil { try await load.keep(UploadCheckpoint(.whole, temporary: path)) }
        let result: DeliveredBytes
        do throws(SubmitFailure) {
            result = try await PlainUpload(server: server).bring(direct)
        } catch {
            if error.code == "conflict" {
                // Behind some gateways no condition is ever met.
                if let seen, strong != nil, try await stands(seen, at: path) {
                    return try await arriveDirectly(at: path, replacing: seen, isConditional: false)
                }
                try await load.keep(nil)
                return .taken
            }
            // Without an answer, the server may still be writing it. The next attempt looks.
            if seen == nil, error.code != HTTPFailure.noAnswerCode { await removeFragment(path) }
            if seen == nil, error.code == "server-error", load.dropsDate(after: 500) {
                return try await arriveDirectly(at: path, replacing: seen)
            }
            throw error
        }
        guard let file = try await server.file(path, lists: proof.asksForMore, about: item.name) else {
            throw proof.untrue(nil)
        }
        var finding = CopyProof.Finding(evidence: .size)
        if let evidence = result.evidence, load.context.verification == .usual {
            finding = CopyProof.Finding(evidence: evidence, etag: result.etag, fileID: result.fileID)
        }
        guard let evidence = try await proof.evidence(that: file, at: path, is: finding) else {
            // Others may have stored there since: what is not ours is not removed.
            var isOurs = result.etag.map { $0 == file.etag && !$0.hasPrefix("W/") } ?? false
            if !isOurs { isOurs = try await proof.holdsBeginning(file, at: path) }
            guard isOurs else { return try replaced(at: path) }
            try await server.delete(path, ifItIs: file.etag, about: item.name)
            throw proof.untrue(file.size)
        }
        try await describe(path)
        var described: StoredFile?
        if properties.areAny { described = try await server.file(path, lists: proof.asksForMore, about: item.name) }
        return .done(receipt(path, of: described ?? file, evidence, wasThere: false))
    }

    /// Removes a part of the item that a broken upload left at its place, where nothing was before.
    private func removeFragment(_ path: DAVPath) async {
        // The attempt may be cancelled, and its remains are to be removed all the same.
        await Task { [server, item, proof] in
            do throws(SubmitFailure) {
                guard let file = try await server.file(path, lists: false, about: item.name),
                    try await proof.holdsBeginning(file, at: path)
                else { return }
                try await server.delete(path, ifItIs: file.etag, about: item.name)
            } catch {
                // The next attempt looks again.
            }
        }.value
    }

    /// Says beside the bytes what is known of the item, where the server keeps that.
    private func describe(_ path: DAVPath) async throws(SubmitFailure) {
        let missing = try await properties.set(at: path)
        note.withLock { $0 = missing }
    }

    /// Removes what lies under the temporary name, where anything can.
    func abandon() async throws(SubmitFailure) {
        // What is put together in this moment lies under the temporary name then.
        try await server.removeUpload(UploadCheckpoint(load.context.checkpoint), about: item.name)
        let isThere = found.withLock { $0 } != nil
        // What an earlier attempt left in the staging collection goes with it.
        let mayBeThere = staging == nil && (load.context.checkpoint != nil || load.context.attempt > 1)
        if isThere || mayBeThere { try await remove(load.temporary) }
    }

    private func remove(_ path: DAVPath) async throws(SubmitFailure) {
        do throws(SubmitFailure) {
            try await server.locking(load.lock(path), about: item.name) { () async throws(SubmitFailure) in
                try await server.delete(path, about: item.name)
            }
        } catch {
            throw await obstacle.explained(error, at: path)
        }
    }
}

extension UploadJob {
    /// Nextcloud dates anew what it is told to move.
    var movedDating: [(name: String, value: String)] { profile.dating == .ocMtime ? dating : [] }
}

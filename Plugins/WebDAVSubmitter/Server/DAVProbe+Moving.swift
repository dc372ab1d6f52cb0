internal import Submit
internal import SubmitHTTP

/// What moving does at a server, on which most of what is stored safely hangs.
extension DAVProbe {
    /// What moving something does.
    struct Moves {
        var sparesOthers = false
        var isMoved = false
        /// The account may not move anything.
        var isDenied = false
        /// What was moved, as it was told of where it was and where it came to.
        var before: StoredFile?
        var after: StoredFile?
    }

    func moving(_ scratch: Scratch, _ profile: ServerProfile) async throws(SubmitFailure) -> Moves {
        let (from, taken, free) = (scratch[2], scratch[3], scratch[4])
        async let first = ended { () async throws(SubmitFailure) in try await put(from, content) }
        async let second = ended { () async throws(SubmitFailure) in try await put(taken, Self.addition) }
        let (one, other) = await (first, second)
        var moves = Moves()
        guard try one.get().isSuccess, try other.get().isSuccess else { return moves }
        let refused = try await move(from, taken)
        async let sparing = ended { () async throws(SubmitFailure) in
            try await holds(taken, Self.addition, profile)
        }
        async let staying = ended { () async throws(SubmitFailure) in try await look(from, profile) }
        let (spared, stayed) = await (sparing, staying)
        let isSpared = try spared.get()
        moves.before = try stayed.get()
        moves.sparesOthers = refused.status == 412 && isSpared
        // Where it was moved over the other, there is nothing left to move.
        if refused.isSuccess {
            if isSpared { try await removeAstray(taken) }
            _ = try await put(from, content)
            moves.before = try await look(from, profile)
        }
        let answer = try await move(from, free)
        moves.isDenied = answer.status == 403 && refused.status == 403
        guard answer.isSuccess else { return moves }
        async let leaving = ended { () async throws(SubmitFailure) in try await look(from, profile) }
        async let coming = ended { () async throws(SubmitFailure) in try await holds(free, content, profile) }
        async let looking = ended { () async throws(SubmitFailure) in try await look(free, profile) }
        let (left, come, looked) = await (leaving, coming, looking)
        guard try left.get() == nil else { return moves }
        moves.isMoved = try come.get()
        if !moves.isMoved { try await removeAstray(free) }
        if moves.isMoved { moves.after = try looked.get() }
        return moves
    }

    /// Some take the folder's own name for something else in a `Destination`: what they cut off it is an address, too.
    func removeAstray(_ path: DAVPath) async throws(SubmitFailure) {
        for end: Character in ["?", ";", "#"] {
            guard let cut = path.cut(before: end) else { continue }
            let answer = try await server.send(DAVRequest("GET", cut.encoded))
            if answer.status == 200, answer.body == content { try await server.delete(cut) }
        }
    }

    /// Whether what is moved keeps its ETag, and whether two files of the same content, size and date have two.
    func marks(
        _ moves: Moves, _ scratch: Scratch, _ profile: ServerProfile
    ) async throws(SubmitFailure) -> (areKept: Bool, tellFiles: Bool) {
        guard let before = moves.before?.etag, let after = moves.after?.etag, unquoted(before) == unquoted(after) else {
            return (false, false)
        }
        var etags: [String] = []
        for twin in [scratch[0], scratch[1]] {
            let dates = [
                ("Date", HTTPDate.format(Timestamp(nanoseconds: Self.date * 1_000_000_000))),
                ("X-OC-Mtime", "\(Self.date)"),
            ]
            let answer = try await put(twin, content, headers: dates)
            // The first of them is there, unless it comes to lie beside itself.
            if twin == scratch[0], answer.status == 201 { noteMaking() }
            guard answer.isSuccess, let etag = try await look(twin, profile)?.etag
            else { return (true, false) }
            etags.append(unquoted(etag))
        }
        return (true, etags[0] != etags[1])
    }

    /// Whether a condition on what would be replaced is heeded.
    func heedsConditions(
        _ from: DAVPath, _ taken: DAVPath, _ profile: ServerProfile
    ) async throws(SubmitFailure) -> Bool {
        // A request shows the locks that it needs in the same header.
        guard profile.moves, profile.sparesOthers, !server.held.areAny else { return false }
        let answer = try await move(from, taken, ifItIs: "\"probe-\(mark)\"")
        if answer.isSuccess { _ = try await put(from, content) }
        guard answer.status == 412, try await holds(taken, Self.addition, profile) else { return false }
        // Some refuse whatever the condition says (Go's x/net/webdav). mod_dav's ETag is weak for a second, which is none.
        guard let etag = try await look(taken, profile)?.etag, !etag.hasPrefix("W/") else { return true }
        guard try await move(from, taken, ifItIs: etag).isSuccess else { return false }
        return try await holds(taken, content, profile)
    }

    /// Some make the collection that is missing, some refuse, and some lose the file.
    func movesNowhere(_ path: DAVPath, _ profile: ServerProfile) async throws(SubmitFailure) -> Bool {
        let missing = base.appending("\(path.name ?? "")-missing", isCollection: true)
        guard try await move(path, missing.appending("file")).isSuccess else { return false }
        let isThere = try await look(missing.appending("file"), profile) != nil
        if isThere { _ = try await move(missing.appending("file"), path) }
        try await server.delete(missing)
        return !isThere
    }
}

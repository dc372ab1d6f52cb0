internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitXML

/// Where small items of a collection lie side by side until they are whole and proven, when many come at once: one look
/// tells of all of them.
///
/// It is a collection in the one that they go into. Who comes first has it made, and who leaves last removes it, with
/// whatever an earlier process of ours left there.
final class StagingCollection: Sendable {
    private struct State {
        /// Items of the collection that are on their way, in the staging collection or not.
        var guests = 0
        var members = 0
        var isMade = false
        /// How often it was made.
        var makings = 0
        /// An earlier process of ours may have left it.
        var mayRemain = false
        /// It stays when the last one leaves: the next attempt looks at what arrived.
        var isKept = false
        var sending = 0
        /// Names of those that were seen here and are about to leave, waiting for nobody.
        var leaving: Set<String> = []
        var isLooking = false
        var lastNumber = 0
        var waiting: [Waiting] = []
        /// Bytes of those that wait.
        var waitingBytes: Int64 { waiting.reduce(0) { $0 + $1.size } }
        var turns: [Int: CheckedContinuation<Result<StoredFile?, SubmitFailure>, Never>] = [:]
    }

    private struct Waiting {
        var number: Int
        var name: String
        /// Bytes.
        var size: Int64
    }

    let path: DAVPath
    private let server: DAVServer
    private let properties: [XMLName]
    private let state = Locked(State())
    private let turn = KeyedLock()

    /// How many items are on their way before it is worth while.
    private static let few = 3

    /// Bytes up to which an item is small: nobody waits long for one that is still being sent.
    static let small: Int64 = 1 << 20

    /// Bytes that took so long to send that a look is nothing beside it.
    private static let many: Int64 = 8 << 20

    /// - Parameter path: the staging's, which nobody else uses.
    init(_ path: DAVPath, on server: DAVServer, _ profile: ServerProfile) {
        self.path = path
        self.server = server
        properties = DAVResource.fileProperties(on: profile)
    }

    /// Lets an item in where that saves requests. It has to ``leave(_:)``, in it or not.
    ///
    /// - Parameter returns: it was here before, and may have left something.
    /// - Returns: whether it is in.
    func enter(returns: Bool) -> Bool {
        state.withLock { state in
            state.guests += 1
            guard returns || state.isMade || state.members > 0 || state.guests > Self.few else { return false }
            state.members += 1
            if returns { state.mayRemain = true }
            return true
        }
    }

    /// Sees that it is there.
    private func make(about file: String) async throws(SubmitFailure) {
        if state.withLock({ $0.isMade }) { return }
        guard await turn.acquire("") else { throw .cancelled }
        defer { turn.release("") }
        if state.withLock({ $0.isMade }) { return }
        let answer = try await server.send(DAVRequest("MKCOL", path.encoded, file: file))
        // 405 says that it is there; others say so by 301, 403, 406, 409, 423 or 500.
        if !answer.isSuccess, answer.status != 405 {
            let failure = server.failure(answer, at: path.description, file: file)
            guard [301, 403, 406, 409, 423, 500].contains(answer.status),
                try await server.file(path, lists: true, about: file)?.isCollection ?? false
            else { throw failure }
        }
        state.withLock { state in
            state.isMade = true
            state.makings += 1
        }
    }

    /// How often it was made.
    var makings: Int { state.withLock { $0.makings } }

    /// Whether someone has removed it, with all that lay in it: another process of ours that was through.
    ///
    /// Who sends again what lay there finds it made anew.
    ///
    /// - Parameter makings: how often it was made before.
    func isGone(since makings: Int, about file: String) async throws(SubmitFailure) -> Bool {
        let isThere = try await server.file(path, lists: true, about: file) != nil
        // Others may have noticed before.
        if isThere { return self.makings > max(1, makings) }
        state.withLock { $0.isMade = false }
        return true
    }

    /// - Parameters:
    ///   - name: the item's, where ``enter(returns:)`` let it in.
    ///   - keeps: something may have arrived here that the next attempt looks for.
    func leave(_ name: String?, keeps: Bool = false) async {
        let isLast = state.withLock { state in
            state.guests -= 1
            if keeps { state.isKept = true }
            if let name {
                state.members -= 1
                state.leaving.remove(name)
            }
            return state.guests == 0
        }
        lookIfDue()
        guard isLast else { return }
        // The attempt may be cancelled, and the staging collection is to be removed all the same.
        await Task {
            guard await turn.acquire("") else { return }
            defer { turn.release("") }
            let isDue = state.withLock { state in
                // A newer attempt uses the collection, and removes it at its end.
                guard state.guests == 0 else { return false }
                let isDue = (state.isMade || state.mayRemain) && !state.isKept
                (state.isMade, state.isKept) = (false, false)
                if isDue { state.mayRemain = false }
                return isDue
            }
            guard isDue else { return }
            // Nobody comes back for it, and a server that stumbles often does so once.
            for _ in 0..<3 { if (try? await server.delete(path)) != nil { break } }
        }.value
    }

    /// Runs what sends an item here.
    func sending<Value>(
        _ name: String, about file: String, _ send: () async throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        try await make(about: file)
        state.withLock { state in
            state.sending += 1
            state.leaving.remove(name)
        }
        defer {
            state.withLock { $0.sending -= 1 }
            lookIfDue()
        }
        return try await send()
    }

    /// An item has left, or does not for now: it may have to wait for others.
    func left(_ name: String) {
        state.withLock { _ = $0.leaving.remove(name) }
        lookIfDue()
    }

    /// What a look at all that lies here tells of an item; `nil` where it tells nothing. Some servers leave out what is
    /// there, or fail, when others come and go meanwhile.
    ///
    /// - Parameter size: the item's, in bytes.
    /// - Throws: why nothing can be told of any; ``SubmitFailure/cancelled``, at once, when the task is cancelled.
    func file(_ name: String, size: Int64) async throws(SubmitFailure) -> StoredFile? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.waiting.append(Waiting(number: number, name: name, size: size))
                    state.turns[number] = continuation
                    return false
                }
                if isCancelled { continuation.resume(returning: .failure(.cancelled)) } else { lookIfDue() }
            }
        } onCancel: {
            answer(number, .failure(.cancelled))
        }
        return try result.get()
    }

    private func answer(_ number: Int, _ result: Result<StoredFile?, SubmitFailure>) {
        let turn = state.withLock { state in
            state.waiting.removeAll { $0.number == number }
            return state.turns.removeValue(forKey: number)
        }
        turn?.resume(returning: result)
    }

    /// Looks when so many wait that it is worth it: twice as many as are being sent or moved out, or all; or when they
    /// are so large that one request more is nothing.
    private func lookIfDue() {
        let asked: [Waiting] = state.withLock { state in
            guard !state.isLooking, !state.waiting.isEmpty,
                state.waiting.count >= 2 * (state.sending + state.leaving.count) || state.waitingBytes >= Self.many
            else { return [] }
            state.isLooking = true
            defer { state.waiting = [] }
            return state.waiting
        }
        if asked.isEmpty { return }
        Task {
            let found: Result<[String: DAVResource], SubmitFailure>
            do throws(SubmitFailure) {
                let members = try await server.list(path, properties: properties)?.members ?? []
                let named = members.compactMap { member in member.path.name.map { ($0, member) } }
                found = .success(Dictionary(named) { $1 })
            } catch {
                // That it cannot be listed now says nothing of what lies in it.
                switch error.remedy {
                case .retry, .tryAnother: found = .success([:])
                default: found = .failure(error)
                }
            }
            let answers = asked.map { ($0, found.flatMap { [name = $0.name] in file($0[name], name) }) }
            state.withLock { state in
                state.isLooking = false
                // They leave now, before others are looked at.
                for case (let waiting, .success(.some)) in answers where state.turns[waiting.number] != nil {
                    state.leaving.insert(waiting.name)
                }
            }
            for (waiting, result) in answers { answer(waiting.number, result) }
            lookIfDue()
        }
    }
}

extension StagingCollection {
    /// Of what the server still works on it says nothing that could be believed.
    private func file(_ resource: DAVResource?, _ name: String) -> Result<StoredFile?, SubmitFailure> {
        guard let resource, resource.isProcessing else { return .success(resource.map { StoredFile($0) }) }
        return .failure(
            server.failure(HTTPResponse(status: 425), at: path.appending(name).description, file: name))
    }
}

/// The stagings of a destination, one for each collection and journal.
final class StagingCollections: Sendable {
    private let server: DAVServer
    private let all = Locked<[DAVPath: StagingCollection]>([:])

    init(_ server: DAVServer) {
        self.server = server
    }

    /// The one for a submission's item; `nil` where a look at it costs nothing, or it is too large.
    func staging(
        of submission: String, in collection: DAVPath, size: Int64, verification: Verification,
        on profile: ServerProfile
    ) -> StagingCollection? {
        guard size <= StagingCollection.small, profile.moves, profile.makesCollections, profile.listsSizes,
            !profile.provesByItself, verification == .usual, !server.held.areDemanded
        else { return nil }
        let path = Self.path(of: submission, in: collection, on: profile)
        return all.withLock { all in
            let staging = all[path] ?? StagingCollection(path, on: server, profile)
            all[path] = staging
            return staging
        }
    }

    /// The same for all submissions of a journal, and no other's.
    static func path(of submission: String, in collection: DAVPath, on profile: ServerProfile) -> DAVPath {
        let journal = submission.lastIndex(of: "-").map { String(submission[..<$0]) } ?? submission
        return collection.appending(TemporaryName.of(journal, on: profile), isCollection: true)
    }
}

extension ServerProfile {
    /// The answer on an upload tells what was stored.
    var provesByItself: Bool { answersHash || checksum == .verified || etagsAreMD5 }
}

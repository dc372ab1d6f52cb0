internal import Submit
internal import SubmitHTTP

/// What was seen of conditions at a server, and when.
struct ConditionNote: Sendable, Hashable, Codable {
    /// An item that is stored only where nothing is replaced nothing.
    var areHeeded: Bool
    /// A list named at once what was just stored.
    var listsAtOnce = false
    /// In seconds since 1970, by the server's clock.
    var found: Int64
    /// For people who read the note.
    var remark: String

    /// A server is another one tomorrow, or has another in front of it.
    static let lifetime: Int64 = 7 * 86_400

    func isFresh(at now: Timestamp) -> Bool {
        // A clock that was wrong must not make it last for ever.
        (found - 3600..<found + Self.lifetime).contains(now.seconds)
    }
}

/// Tries out whether a server heeds `If-None-Match: *` on PUT, on a scratch object.
///
/// It is believed where it was seen: each further PUT was refused, of few bytes and of as many as are ever sent without a
/// look, and what was there before is there still.
struct ConditionTrial {
    let bucket: S3Bucket
    let scratch: ScratchObject
    /// Bytes of the largest item that is sent without a look.
    let largest: Int64

    private static let condition = [(name: "if-none-match", value: "*")]
    /// Of several machines behind one address not all need be alike.
    private static let smallBodies = 3

    /// - Parameter held: what the scratch object holds.
    /// - Throws: a failure that says nothing of conditions.
    func outcome(holding held: ScratchObject.Body) async throws(SubmitFailure) -> ServerFindings.Condition {
        var bodies = (1...Self.smallBodies).map { number in
            ScratchObject.Body("Something else of submit (\(scratch.number), \(number)).")
        }
        let line = Array("Something else of submit, as large as it gets (\(scratch.number)).\n".utf8)
        bodies.append(ScratchObject.Body((0..<Int(largest)).map { line[$0 % line.count] }))
        for (index, body) in bodies.enumerated() {
            let answer = try await scratch.put(body, adding: Self.condition)
            if answer.status == 412 { continue }
            if answer.isSuccess || index > 0 && answer.refusesCondition { return .ignores }
            let failure = bucket.failure(answer, file: nil)
            guard answer.refusesCondition || failure.isLasting else { throw failure }
            return .refuses
        }
        let size = Int64(held.bytes.count)
        let stays = try await bucket.read(scratch.key, 0..<size, of: size, file: nil) == held.bytes
        return stays ? .honours : .ignores
    }

    /// Whether a list names at once what the scratch object's name is, and that name is no other one's: where names are the
    /// same whatever their case a list by the beginning of a name does not tell of all.
    func isListed() async -> Bool {
        do throws(SubmitFailure) {
            guard try await bucket.list(prefix: scratch.key)?.objects.map(\.key) == [scratch.key] else { return false }
            return try await bucket.object(scratch.keyInUpperCase, file: nil) == nil
        } catch {
            return false
        }
    }

    /// The whole of it.
    ///
    /// - Returns: `nil` where nothing may be removed, so that nothing was stored.
    func run() async throws(SubmitFailure) -> ServerFindings.Condition? {
        try await bucket.removeOldScratchObjects()
        guard try await scratch.mayBeRemoved() else { return nil }
        let held = ScratchObject.Body(
            "submit tries out what this server does (\(scratch.number)), and removes this again.")
        let first = try await scratch.put(held, adding: Self.condition)
        // Nothing was there: who refuses this heeds nothing.
        if first.status == 412 || first.refusesCondition {
            let plain = try await scratch.put(held)
            guard plain.isSuccess else { throw bucket.failure(plain, file: nil) }
            return .refuses
        }
        guard first.isSuccess else { throw bucket.failure(first, file: nil) }
        return try await outcome(holding: held)
    }
}

extension S3Bucket {
    /// Nobody asked for it: what goes wrong is no item's fault, and it is tried again by another process.
    func tryConditions(upTo largest: Int64) async -> String? {
        let trial = ConditionTrial(bucket: self, scratch: ScratchObject(in: self), largest: largest)
        var found: (areHeeded: Bool, remark: String)?
        var listsAtOnce = false
        do throws(SubmitFailure) {
            let outcome = try await trial.run()
            if outcome == .ignores || outcome == .refuses { listsAtOnce = await trial.isListed() }
            switch outcome {
            case .honours: found = (true, "It refused each PUT to a key that was held.")
            case .ignores: found = (false, "It did not refuse each PUT to a key that was held.")
            case .refuses: found = (false, "It takes no PUT with a condition.")
            case nil: found = (false, "It was not tried, as nothing may be removed there.")
            }
        } catch {
            if error.isLasting { found = (false, "It cannot be tried: \(error.message)") }
        }
        // In a task of its own: nothing may stay, even where the submission was cancelled.
        let left = await Task { () -> SubmitFailure? in
            do throws(SubmitFailure) {
                try await trial.scratch.remove()
                return nil
            } catch {
                return error
            }
        }.value
        if let found {
            await service.note(conditions: found.areHeeded, listsAtOnce: listsAtOnce, remark: found.remark)
        }
        return left?.message
    }
}

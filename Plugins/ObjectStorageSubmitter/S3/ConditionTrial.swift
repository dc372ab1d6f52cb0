internal import Submit
internal import SubmitHTTP

/// What was seen of conditions at a server, and when.
struct ConditionNote: Sendable, Hashable, Codable {
    /// An item that is stored only where nothing is replaced nothing.
    var areHeeded: Bool
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
        let stays = try await bucket.reader(of: scratch.key, size: size, file: nil).read(0..<size) == held.bytes
        return stays ? .honours : .ignores
    }

    /// The whole of it.
    ///
    /// - Returns: `nil` where nothing may be removed, so that nothing was stored.
    func run() async throws(SubmitFailure) -> ServerFindings.Condition? {
        try await bucket.removeOldScratchObjects()
        guard try await !bucket.keepsByDefault(), try await scratch.mayBeRemoved() else { return nil }
        let held = ScratchObject.Body(
            "submit tries out what this server does (\(scratch.number)), and removes this again.")
        let first = try await scratch.put(held, adding: Self.condition)
        // It asks fewer nodes before it stores than when it is asked, which a trial of what was just stored does not show.
        if first["x-trans-id"] != nil || first["x-openstack-request-id"] != nil { return .ignores }
        guard first.isSuccess else {
            // Nothing was there: who refuses this heeds nothing.
            if first.status == 412 || first.refusesCondition { return .refuses }
            throw bucket.failure(first, file: nil)
        }
        return try await outcome(holding: held)
    }
}

extension S3Bucket {
    /// Whether what is stored here cannot be removed for a while, though nothing is said of it when it is stored
    /// ("GetObjectLockConfiguration" in the Amazon S3 API reference). Who knows nothing of that refuses the question.
    fileprivate func keepsByDefault() async throws(SubmitFailure) -> Bool {
        let answer = try await send(S3Request("GET", query: "object-lock="))
        return answer.isSuccess && String(decoding: answer.body, as: UTF8.self).contains("DefaultRetention")
    }

    /// Nobody asked for it: what goes wrong is no item's fault, and it is tried again by another process.
    func tryConditions(upTo largest: Int64) async -> String? {
        let trial = ConditionTrial(bucket: self, scratch: ScratchObject(in: self), largest: largest)
        var found: (areHeeded: Bool, remark: String)?
        do throws(SubmitFailure) {
            switch try await trial.run() {
            case .honours: found = (true, "It refused each PUT to a key that was held.")
            case .ignores: found = (false, "It is not known to refuse each PUT to a key that is held.")
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
        if let found { await service.note(conditions: found.areHeeded, remark: found.remark) }
        return left?.message
    }
}

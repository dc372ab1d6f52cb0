internal import Submit
internal import SubmitConcurrency
internal import SubmitRecipes

/// One attempt at bringing an item to a service, by the steps of its recipe.
struct RecipeUpload {
    let service: RecipeService
    let coding: RunStateCoding
    let context: SubmissionContext
    let file: SentFile
    var state: RunState
    var scope: ExpressionScope
    /// The step that an earlier attempt may have been in.
    private let restored: Int?

    /// - Parameter isRestored: the state is that of an earlier attempt.
    init(
        service: RecipeService, coding: RunStateCoding, context: SubmissionContext, file: SentFile, state: RunState,
        isRestored: Bool, scope: ExpressionScope
    ) {
        self.service = service
        self.coding = coding
        self.context = context
        self.file = file
        self.state = state
        self.scope = scope
        restored = isRestored || context.attempt > 1 ? state.next : nil
    }

    /// This attempt has begun the step that is to do, as far as it must not be repeated.
    private var hasBegun = false

    /// An earlier attempt may have done it, and a look did not show it: it may yet.
    private var isDoubted = false

    /// An earlier attempt may have begun the step that is to do.
    var mayHaveBegun: Bool { restored == state.next }

    var recipe: Recipe { service.recipe }

    /// At most one step with a lock at once for each account.
    private static let claims = KeyedLock()

    /// How often a service may make us begin again.
    private static let mostRestarts = 3

    /// Does what is left of the steps.
    mutating func run() async throws(SubmitFailure) {
        for (step, captures) in state.captures where recipe.upload.contains(where: { $0.id == step }) {
            scope[step] = .map(captures)
        }
        while state.next < recipe.upload.count, !state.isDuplicate {
            let step = recipe.upload[state.next]
            let isMeant = try followed { () throws(RecipeFault) in try step.when?.isTrue(in: scope) ?? true }
            if !isMeant {
                state.next += 1
                continue
            }
            do throws(RecipeService.Trouble) {
                try await perform(step)
            } catch {
                throw try await settled(error, step)
            }
        }
    }

    /// Passes a fault of the recipe on as a failure.
    func followed<Result>(_ body: () throws(RecipeFault) -> Result) throws(SubmitFailure) -> Result {
        do throws(RecipeFault) {
            return try body()
        } catch {
            throw error.failure(recipe, at: service.destination, file: file.item.name)
        }
    }

    private mutating func perform(_ step: Recipe.Step) async throws(RecipeService.Trouble) {
        guard step.locksAccount else { return try await performAlone(step) }
        let account = "\(recipe.service) \(service.destination)"
        guard await Self.claims.acquire(account) else { throw RecipeService.Trouble(failure: .cancelled) }
        defer { Self.claims.release(account) }
        try await performAlone(step)
    }

    private mutating func performAlone(_ step: Recipe.Step) async throws(RecipeService.Trouble) {
        (hasBegun, isDoubted) = (false, false)
        if state.isAboutTo {
            if try await wasDone(step) { return try await finish(step) }
            if let refusal = state.refusal {
                (state.isAboutTo, state.refusal) = (false, nil)
                try await keep()
                throw RecipeService.Trouble(
                    failure: refusal.mayHaveActed
                        ? unknownOutcome(step) : SubmitFailure(.giveUp, code: "refused", message: refusal.sentence))
            }
            (state.isAboutTo, isDoubted) = (false, true)
        }
        if !step.request.body.sendsFile, state.next > 0 {
            do throws(SubmitFailure) {
                try file.bytes.verifyUnchanged()
            } catch {
                throw RecipeService.Trouble(failure: error)
            }
        }
        if step.chunks != nil {
            do throws(RecipeService.Trouble) {
                try await sendPieces(step)
            } catch {
                // An upload that is gone may have become what it was for.
                guard error.kind == .restart, let look = step.look, try await isFound(by: look, step) else {
                    throw error
                }
            }
        } else {
            if step.isDelicate {
                state.isAboutTo = true
                // A key counts from when it was first shown.
                if step.repetition != .key || !isDoubted { state.aboutToSince = service.clock().seconds }
                hasBegun = true
                try await keep()
            }
            var call = call(step)
            call.isDelicate = step.isDelicate
            let exchange: RecipeService.Exchange
            do throws(RecipeService.Trouble) {
                exchange = try await service.exchange(call, in: &scope, file: file)
            } catch {
                guard let tries = step.tries, error.isServiceTrouble else { throw error }
                return try await goWithout(step, tries)
            }
            take(exchange, step)
            if let poll = step.poll, !exchange.isDuplicate { try await wait(poll, step, exchange.answer) }
        }
        try await finish(step)
    }

    /// Counts a failed try of a step that the upload can do without, and finishes the step after the last one.
    ///
    /// - Throws: ``Remedy/wait(after:)`` while there are tries left.
    private mutating func goWithout(_ step: Recipe.Step, _ tries: Int) async throws(RecipeService.Trouble) {
        (scope[step.id], state.captures[step.id]) = (.map([:]), nil)
        state.tries += 1
        if state.tries >= tries { return try await finish(step) }
        try await keep()
        throw RecipeService.Trouble(
            failure: SubmitFailure(
                .wait(after: .seconds(state.tries)), code: "processing",
                message: "\(recipe.title) did not finish its work on “\(file.item.name)”: it is asked again."))
    }

    /// The request of a step, or of one piece of it.
    func call(_ step: Recipe.Step, range: Range<Int64>? = nil) -> RecipeService.Call {
        var call = RecipeService.Call(request: step.request, captures: step.captures, isRight: step.isRight)
        call.treatAsRight = step.treatAsRight
        call.name = step.id
        call.range = range
        call.isUnfinished = step.poll != nil
        if step.request.body.sendsFile {
            let (context, size, start) = (context, file.item.size, range?.lowerBound ?? 0)
            let length = range.map { $0.upperBound - $0.lowerBound } ?? size
            call.sent = { context.sent(start + min($0, length)) }
        }
        return call
    }

    mutating func take(_ exchange: RecipeService.Exchange, _ step: Recipe.Step) {
        state.captures[step.id] = exchange.captured
        if exchange.isDuplicate { state.isDuplicate = true }
    }

    private mutating func finish(_ step: Recipe.Step) async throws(RecipeService.Trouble) {
        var after = state
        after.next += 1
        after.isAboutTo = false
        after.refusal = nil
        after.loop = nil
        after.pollSince = nil
        after.tries = 0
        if step.isDelicate { after.committed = after.next }
        // What can be done again at no cost need not be remembered when nothing follows.
        if step.isDelicate || after.next < recipe.upload.count || context.album != nil {
            do throws(RecipeService.Trouble) {
                try await keep(after)
            } catch {
                var trouble = error
                trouble.mayHaveActed = true
                throw trouble
            }
        }
        state = after
    }

    func keep() async throws(RecipeService.Trouble) { try await keep(state) }

    private func keep(_ state: RunState) async throws(RecipeService.Trouble) {
        try await noted { () async throws(SubmitFailure) in try await context.keep(coding.checkpoint(state)) }
    }

    /// A failure of ours as trouble.
    func noted<Result>(_ body: () async throws(SubmitFailure) -> Result) async throws(RecipeService.Trouble) -> Result {
        do throws(SubmitFailure) {
            return try await body()
        } catch {
            throw RecipeService.Trouble(failure: error)
        }
    }

    // MARK: What was done and not heard of

    /// Whether a step that was about to be done was done.
    ///
    /// - Throws: where nobody can know.
    private mutating func wasDone(_ step: Recipe.Step) async throws(RecipeService.Trouble) -> Bool {
        switch step.repetition {
        case .safe: return false
        case .key:
            guard let lasts = step.keyLasts, let since = state.aboutToSince, service.clock().seconds - since >= lasts
            else {
                return false
            }
            throw RecipeService.Trouble(failure: unknownOutcome(step))
        case .never: throw RecipeService.Trouble(failure: unknownOutcome(step))
        case .look:
            guard let look = step.look else { throw RecipeService.Trouble(failure: unknownOutcome(step)) }
            return try await isFound(by: look, step)
        }
    }

    /// Whether a look shows that a step was done.
    ///
    /// - Throws: if the look fails, or the service may only not show yet what it has.
    private mutating func isFound(by look: Recipe.Look, _ step: Recipe.Step) async throws(RecipeService.Trouble) -> Bool
    {
        var call = RecipeService.Call(request: look.request, captures: look.items == nil ? look.captures : [])
        call.name = step.id
        call.isUnfinished = true
        (call.isQuestion, call.readsBody) = (true, look.items != nil)
        var asked = scope
        let exchange: RecipeService.Exchange
        do throws(RecipeService.Trouble) {
            exchange = try await service.exchange(call, in: &asked, file: file)
        } catch {
            // A look does nothing, and may be repeated.
            throw RecipeService.Trouble(failure: error.failure)
        }
        let found: [String: RecipeValue]?
        do throws(RecipeFault) {
            found = try look.found(in: exchange, asked)
        } catch {
            throw RecipeService.Trouble(
                failure: error.failure(recipe, at: service.destination, file: file.item.name))
        }
        guard let found else {
            try await awaitSettling(look, step)
            return false
        }
        scope[step.id] = .map(found)
        state.captures[step.id] = found
        return true
    }

    /// - Throws: ``Remedy/wait(after:)`` while the service may only not show yet what it has.
    private func awaitSettling(_ look: Recipe.Look, _ step: Recipe.Step) async throws(RecipeService.Trouble) {
        let since = state.aboutToSince ?? 0
        let left = min(look.settles, since + look.settles - service.clock().seconds)
        guard left > 0 else { return }
        throw RecipeService.Trouble(
            failure: SubmitFailure(
                .wait(after: .seconds(min(left, 10))), code: "settling",
                message:
                    "Whether “\(file.item.name)” arrived at “\(service.destination)” is not known yet: \(recipe.title) is asked again."
            ))
    }

    func unknownOutcome(_ step: Recipe.Step) -> SubmitFailure {
        let advice = (try? step.say?.text(in: scope)) ?? "look there, and submit it again only if it is missing"
        return SubmitFailure(
            .outcomeUnknown, code: "outcome-unknown",
            message:
                "Whether “\(file.item.name)” arrived at “\(service.destination)” is not known, since \(recipe.title)'s answer "
                + "was lost: \(advice).")
    }

    /// What to throw for a step's trouble, with the checkpoint as it has to be then.
    private mutating func settled(_ trouble: RecipeService.Trouble, _ step: Recipe.Step) async throws(SubmitFailure)
        -> SubmitFailure
    {
        if trouble.kind == .restart {
            if state.isAboutTo, step.repetition != .key, trouble.mayHaveActed || isDoubted {
                return unknownOutcome(step)
            }
            guard state.restarts < Self.mostRestarts else { return gaveUp(trouble.failure) }
            let restarts = state.restarts + 1
            let before = state
            state = RunState()
            (state.next, state.committed, state.restarts) = (before.committed, before.committed, restarts)
            state.round = before.round
            for step in recipe.upload.prefix(before.committed) { state.captures[step.id] = before.captures[step.id] }
            try? await context.keep(coding.checkpoint(state))
            return trouble.failure
        }
        guard state.isAboutTo else { return trouble.failure }
        if hasBegun, step.repetition == .look, trouble.failure.remedy == .giveUp,
            trouble.mayHaveActed || trouble.isUnexplained
        {
            // It may have been done before it was refused: the next attempt looks, and nothing is sent again.
            state.refusal = RunState.Refusal(
                sentence: trouble.failure.message, mayHaveActed: trouble.mayHaveActed || isDoubted)
            try await context.keep(coding.checkpoint(state))
            return SubmitFailure(
                .wait(after: .seconds(1)), code: "settling",
                message: "\(recipe.title) is asked whether “\(file.item.name)” arrived, though it did not say yes.")
        }
        // What an earlier attempt may have done stays in doubt until a look is answered.
        guard trouble.mayHaveActed || isDoubted || !hasBegun else {
            state.isAboutTo = false
            try? await context.keep(coding.checkpoint(state))
            return trouble.failure
        }
        switch (trouble.failure.remedy, step.repetition) {
        case (.giveUp, .key), (.outcomeUnknown, .key): return unknownOutcome(step)
        case (.cancelled, _), (.wait, _), (_, .safe), (_, .key): return trouble.failure
        case (_, .never): return unknownOutcome(step)
        case (.giveUp, .look): return unknownOutcome(step)
        // The next attempt looks.
        case (_, .look):
            return trouble.failure.retold(
                of: file.item.name,
                "Whether “\(file.item.name)” arrived at “\(service.destination)” is not known yet, and is looked at before it is "
                    + "sent again")
        }
    }

    private func gaveUp(_ failure: SubmitFailure) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: failure.code,
            message: "\(failure.message) That was so \(Self.mostRestarts + 1) times, and it is not tried again.")
    }
}

extension Recipe.Step {
    /// Whether it was begun has to be known: doing it twice may show.
    fileprivate var isDelicate: Bool { repetition != .safe && chunks == nil && poll == nil }
}

extension RecipeService.Trouble {
    /// The service got the request, and it or a server before it failed with it.
    fileprivate var isServiceTrouble: Bool { answer.map { $0.status >= 500 } ?? mayHaveActed }

    /// The service refused it, and no rule of the recipe knows why.
    fileprivate var isUnexplained: Bool {
        kind == .fatal && !isRuled && (answer.map { (200...499).contains($0.status) } ?? false)
    }
}

extension Recipe.Look {
    /// What is kept of what was found; `nil` where nothing was.
    fileprivate func found(in exchange: RecipeService.Exchange, _ scope: ExpressionScope) throws(RecipeFault)
        -> [String: RecipeValue]?
    {
        guard let items else { return try isFound.isTrue(in: scope) ? exchange.captured : nil }
        guard case .list(let elements)? = exchange.answer.json?.at(items) else { return nil }
        for element in elements {
            var scope = scope
            scope.setLookup("item") { element.at(named: $0) }
            guard try isFound.isTrue(in: scope) else { continue }
            var captured: [String: RecipeValue] = [:]
            for capture in captures {
                var value = RecipeValue.null
                if case .json(let pointer) = capture.source { value = element.at(pointer) }
                if value == .null, let fallback = capture.defaultValue { value = try fallback.evaluate(in: scope) }
                if value != .null { captured[capture.name] = value }
            }
            return captured
        }
        return nil
    }
}

extension SubmitFailure {
    /// The same where it would be wrong to say that an item was not sent.
    func retold(of file: String, _ clause: String) -> SubmitFailure {
        var failure = self
        let cause = message.replacing("“\(file)” was not sent: ", with: "")
            .replacing(", so that “\(file)” was not sent", with: "")
        failure.message = "\(clause): \(cause)"
        return failure
    }
}

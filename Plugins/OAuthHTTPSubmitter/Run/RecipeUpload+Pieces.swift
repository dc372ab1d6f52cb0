internal import Submit
internal import SubmitRecipes

extension RecipeUpload {
    /// How often in a row a service may correct where we stand.
    private static let mostCorrections = 3

    /// Sends the item piece by piece, from where the service says it stands.
    mutating func sendPieces(_ step: Recipe.Step) async throws(RecipeService.Trouble) {
        guard let chunks = step.chunks else { return }
        let size = file.item.size
        let length = try pieceLength(chunks)
        let isNew = state.loop == nil
        var place = state.loop ?? RunState.Loop(offset: 0, index: 0)
        if state.loop != nil || mayHaveBegun, case .ask(let question)? = step.resume {
            let asked: Int64?
            do throws(RecipeService.Trouble) {
                asked = try await ask(question, step)
            } catch {
                throw error.gone
            }
            guard let asked else { return }
            place = RunState.Loop(offset: asked, index: (asked + length - 1) / length)
        }
        var corrections = 0
        while true {
            let end = min(place.offset + length, size)
            let isLast = end >= size
            scope["chunk"] = .map([
                "index": .integer(place.index), "offset": .integer(place.offset),
                "length": .integer(end - place.offset),
                "end": .integer(end), "is_last": .bool(isLast),
            ])
            state.loop = place
            if isLast, step.look != nil {
                // From now on the upload may end without an answer that says so.
                state.aboutToSince = service.clock().seconds
                try await keep()
            }
            var call = call(step, range: place.offset..<end)
            call.isPiece = true
            call.isUnfinished = !isLast
            let exchange: RecipeService.Exchange
            do throws(RecipeService.Trouble) {
                exchange = try await service.exchange(call, in: &scope, file: file)
            } catch {
                corrections += 1
                guard corrections <= Self.mostCorrections, let right = correction(error, step, from: place.offset)
                else {
                    // Where the loop stands is where to ask the next time.
                    let isLate = isNew && place.offset == 0 && error.gone.kind == .restart
                    if error.gone.kind != .restart || isLate { try? await keep() }
                    throw isLate ? error.late : error.gone
                }
                place = RunState.Loop(offset: right, index: (right + length - 1) / length)
                continue
            }
            corrections = 0
            take(exchange, step)
            if exchange.isDuplicate { return }
            place = RunState.Loop(offset: end, index: place.index + 1)
            if step.resume != nil { context.landed(end) }
            if isLast { return }
            state.loop = place
            try await keep()
        }
    }

    private func pieceLength(_ chunks: Recipe.Chunks) throws(RecipeService.Trouble) -> Int64 {
        do throws(RecipeFault) {
            let wanted = try chunks.size.integer(in: scope) ?? 0
            let unit = try chunks.multipleOf?.integer(in: scope) ?? 1
            guard wanted > 0, unit > 0, unit <= 1 << 40, wanted <= 1 << 40 else {
                throw RecipeFault(chunks.place, "The pieces would have \(wanted) bytes, and multiples of \(unit).")
            }
            // A service that takes few pieces gets larger ones.
            let least = (file.item.size + Int64(chunks.most) - 1) / Int64(chunks.most)
            return max(unit, wanted / unit * unit, (least + unit - 1) / unit * unit)
        } catch {
            throw RecipeService.Trouble(failure: error.failure(recipe, at: service.destination, file: file.item.name))
        }
    }

    /// Asks how far the service is; `nil` where all is there and the step is done.
    private mutating func ask(
        _ question: Recipe.ResumeQuestion, _ step: Recipe.Step
    ) async throws(RecipeService.Trouble) -> Int64? {
        var call = RecipeService.Call(request: question.request, captures: question.captures)
        call.name = step.id
        (call.isPiece, call.isUnfinished, call.isQuestion) = (true, true, true)
        // How far it was once is no answer.
        var known = scope[step.id]?.members ?? [:]
        for capture in question.captures { known[capture.name] = nil }
        scope[step.id] = .map(known)
        let exchange = try await service.exchange(call, in: &scope, file: file)
        state.captures[step.id] = exchange.captured
        let asked: Int64?
        let isOver: Bool
        do throws(RecipeFault) {
            isOver = try question.restartWhen?.isTrue(in: scope) ?? false
            if !isOver, try question.isDone?.isTrue(in: scope) ?? false { return nil }
            asked = try question.offset.integer(in: scope)
        } catch {
            throw RecipeService.Trouble(failure: error.failure(recipe, at: service.destination, file: file.item.name))
        }
        if isOver {
            throw RecipeService.Trouble(failure: nonsense("does not go on with what was begun"), kind: .restart)
        }
        guard let asked, (0...file.item.size).contains(asked) else {
            throw RecipeService.Trouble(failure: nonsense("does not say how far it is"), kind: .restart)
        }
        context.landed(asked)
        return asked
    }

    /// Where to go on, as an answer on a wrong offset says; `nil` for another answer, and for one that leads nowhere.
    private func correction(_ trouble: RecipeService.Trouble, _ step: Recipe.Step, from offset: Int64) -> Int64? {
        guard case .fromError(let status, let pointers)? = step.resume, let answer = trouble.answer,
            answer.status == status, let json = answer.json
        else { return nil }
        let right = pointers.lazy.compactMap { json.at($0).asInteger }.first
        guard let right, (0...file.item.size).contains(right), right != offset else { return nil }
        return right
    }

    private func nonsense(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "bad-answer",
            message: "“\(file.item.name)” was not sent: \(recipe.title) \(what), and it begins again from the start.")
    }

    /// Looks whether the service is ready with what it got.
    ///
    /// - Throws: ``Remedy/wait(after:)`` where it is not: the next attempt asks again.
    mutating func wait(_ poll: Recipe.Poll, _ step: Recipe.Step, _ answer: ServiceAnswer) async throws(RecipeService
        .Trouble)
    {
        let now = service.clock().seconds
        let since = state.pollSince ?? now
        let every: Int64
        let most: Int64
        let hasFailed: Bool
        let isReady: Bool
        do throws(RecipeFault) {
            hasFailed = try poll.failWhen?.isTrue(in: scope) ?? false
            isReady = hasFailed ? false : try poll.until.isTrue(in: scope)
            every = try poll.every.integer(in: scope) ?? 3
            most = try poll.most.integer(in: scope) ?? 600
        } catch {
            throw RecipeService.Trouble(failure: error.failure(recipe, at: service.destination, file: file.item.name))
        }
        if isReady {
            return try service.demand(step.captures, in: scope[step.id] ?? .null, answer, file: file.item.name)
        }
        if hasFailed {
            let words = answer.words.map { " “\($0)”" } ?? ""
            throw RecipeService.Trouble(
                failure: SubmitFailure(
                    .giveUp, code: "processing-failed",
                    message:
                        "“\(file.item.name)” was not taken: \(recipe.title) could not process it\(words): check that the file "
                        + "is whole and of a kind that \(recipe.title) takes."))
        }
        state.isAboutTo = false
        guard now - since < most else {
            state.pollSince = nil
            try await keep()
            throw RecipeService.Trouble(
                failure: SubmitFailure(
                    .retry(after: nil), code: "processing",
                    message:
                        "\(recipe.title) was still not ready with “\(file.item.name)” after \(now - since) seconds: it is "
                        + "looked at again later."))
        }
        state.pollSince = since
        try await keep()
        throw RecipeService.Trouble(
            failure: SubmitFailure(
                .wait(after: .seconds(min(max(1, every), 300))), code: "processing",
                message: "\(recipe.title) is still processing “\(file.item.name)”: it is looked at again."))
    }
}

extension RecipeService.Trouble {
    /// The same of an upload that was begun just now: another of the service's machines may not know of it yet.
    fileprivate var late: RecipeService.Trouble {
        var late = gone
        late.kind = .retry
        return late
    }

    /// What an upload that was begun is told when the service knows nothing of it: to begin again.
    fileprivate var gone: RecipeService.Trouble {
        guard !isRuled, let answer, [404, 410].contains(answer.status), kind == .fatal else { return self }
        var gone = self
        gone.kind = .restart
        gone.failure.remedy = .retry(after: nil)
        gone.failure.code = "restart"
        return gone
    }
}

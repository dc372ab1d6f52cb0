internal import Submit
internal import SubmitRecipes

extension RecipeUpload {
    /// How many seconds a service may take to show a post at all.
    private static let mostUnseen: Int64 = 60

    /// Makes sure that what the service made holds the item.
    ///
    /// The service's answer tells. If that doesn't name the item, the post itself is looked at.
    ///
    /// - Parameter presence: how a post is looked at; lint demands it where there is a rule.
    /// - Throws: ``Remedy/giveUp`` where the post doesn't hold the item; ``Remedy/wait(after:)`` or ``Remedy/retry(after:)``
    ///   where that isn't known yet. Nothing is posted again unless the post is gone.
    mutating func verifyHolding(_ receipt: Receipt, _ presence: RecipePresence?) async throws(SubmitFailure) {
        guard let rule = recipe.receipt.holdsItem, let presence, !state.isDuplicate else { return }
        if !state.lacksItem, try followed({ () throws(RecipeFault) in try rule.isTrue(in: scope) }) { return }
        let about = "“\(file.item.name)” was posted to “\(service.destination)”"
        switch await presence.look(for: file.item, receipt) {
        case .there: return
        case .hidden(var failure):
            // A look does nothing, and may be repeated.
            if [.giveUp, .outcomeUnknown].contains(failure.remedy) { failure.remedy = .retry(after: nil) }
            failure.message = "\(about), and whether the post holds it is not known yet: \(failure.message)"
            throw failure
        case .withoutItem: try await noteLack()
        case .gone where state.lacksItem:
            let round = state.round + 1
            state = RunState()
            state.round = round
            try await context.keep(coding.checkpoint(state))
            throw SubmitFailure(
                .retry(after: nil), code: "restart",
                message:
                    "The post without “\(file.item.name)” was deleted at “\(service.destination)”: it is sent again.")
        case .gone:
            let now = service.clock().seconds
            let since = state.unseenSince ?? now
            if now - since < Self.mostUnseen {
                state.unseenSince = since
                try await context.keep(coding.checkpoint(state))
                throw SubmitFailure(
                    .wait(after: .seconds(5)), code: "settling",
                    message: "\(about), and \(recipe.title) does not show the post yet: it is looked at again.")
            }
            try await noteLack()
        }
        throw recipe.postedWithout(file.item, at: service.destination, receipt)
    }

    private mutating func noteLack() async throws(SubmitFailure) {
        state.lacksItem = true
        try await context.keep(coding.checkpoint(state))
    }
}

extension Recipe {
    /// The failure of an item whose post doesn't show it.
    func postedWithout(_ item: MediaItem, at destination: String, _ receipt: Receipt) -> SubmitFailure {
        let kind = item.type.kind == .video ? "video" : "photo"
        let post = receipt.url.map { "the post \($0)" } ?? "that post"
        return SubmitFailure(
            .giveUp, code: "posted-without",
            message:
                "“\(item.name)” was posted to “\(destination)” without the \(kind): \(title) left it out. Delete \(post) there, "
                + "and try again.")
    }
}

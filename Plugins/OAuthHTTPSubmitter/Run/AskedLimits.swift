internal import Submit
internal import SubmitConcurrency
internal import SubmitRecipes

/// What a service says of its limits, asked once an hour.
final class AskedLimits: Sendable {
    private let question: Recipe.Limits.Question
    private let service: RecipeService
    private let names: RecipeNames
    private let known = Locked<(answers: [String: RecipeValue], until: Int64)?>(nil)
    private let turns = AsyncSemaphore(1)

    init(_ question: Recipe.Limits.Question, _ service: RecipeService, _ names: RecipeNames) {
        self.question = question
        self.service = service
        self.names = names
    }

    /// Captures by name; none where the service does not say.
    func answers() async throws(SubmitFailure) -> [String: RecipeValue] {
        if let answers = current { return answers }
        guard await turns.acquire() else { throw .cancelled }
        defer { turns.release() }
        if let answers = current { return answers }
        var scope = names.base
        var call = RecipeService.Call(request: question.request, captures: question.captures)
        call.isUnfinished = true
        let answers: [String: RecipeValue]
        do throws(RecipeService.Trouble) {
            answers = try await service.exchange(call, in: &scope, file: nil).captured
        } catch {
            // An older server does not know the question: the recipe's own limits hold.
            guard error.failure.remedy == .giveUp else { throw error.failure }
            answers = [:]
        }
        let until = service.clock().seconds + 3600
        known.withLock { $0 = (answers, until) }
        return answers
    }

    private var current: [String: RecipeValue]? {
        let now = service.clock().seconds
        return known.withLock { known in known.flatMap { $0.until > now ? $0.answers : nil } }
    }
}

internal import Submit
internal import SubmitRecipes

/// What recipes and services say of the items that are taken.
struct RecipeLimits: LimitFacet {
    let service: RecipeService
    let names: RecipeNames
    let asked: AskedLimits

    func limits(of kind: MediaKind) async throws(SubmitFailure) -> ItemLimits {
        var scope = names.base
        scope["ask"] = .map(try await asked.answers())
        do throws(RecipeFault) {
            return try service.recipe.limits(of: kind, in: scope)
        } catch {
            throw error.failure(service.recipe, at: service.destination)
        }
    }
}

extension Recipe {
    /// - Parameter scope: with what the service said, as `ask`; without it the recipe's own limits hold.
    func limits(of kind: MediaKind, in scope: ExpressionScope) throws(RecipeFault) -> ItemLimits {
        guard let kind = Limits.ItemKind(rawValue: kind.rawValue) else { return ItemLimits() }
        let own = limits.items[kind]
        var found = ItemLimits(maximumSize: own?.mostBytes, mimeTypes: own?.mimes.map(Set.init))
        guard let question = limits.question, scope["ask"]?.members?.isEmpty == false else { return found }
        if let asked = try question.mostBytes[kind]?.integer(in: scope) {
            found.maximumSize = min(asked, found.maximumSize ?? asked)
        }
        if let asked = try question.mostPixels[kind]?.integer(in: scope) {
            found.maximumPixels = Int(clamping: asked)
        }
        if case .list(let asked)? = try question.mimes[kind]?.evaluate(in: scope), !asked.isEmpty {
            let asked = Set(asked.compactMap { $0.asText?.lowercased() })
            found.mimeTypes = found.mimeTypes?.intersection(asked) ?? asked
        }
        return found
    }
}

internal import Submit
internal import SubmitRecipes

/// The albums of a service.
struct RecipeAlbums: AlbumFacet {
    let cache: AlbumCache
    let service: RecipeService

    func list() async throws(SubmitFailure) -> [String] { try await cache.list().keys.sorted() }

    func create(_ album: String) async throws(SubmitFailure) {
        guard try await cache.album(album) == nil else { return }
        throw SubmitFailure(
            .giveUp, code: "album-of-items",
            message: "\(service.recipe.title) makes an album with its first item only: submit one into “\(album)”.")
    }
}

/// Whether an item is there.
struct RecipePresence: PresenceFacet {
    let rule: Recipe.PresenceRule
    let service: RecipeService
    let names: RecipeNames

    /// What a look at a copy shows.
    enum Sight: Sendable, Hashable {
        case there(Evidence)
        /// What the receipt names is there, without the item.
        case withoutItem
        case gone
        /// It can't be seen, and why.
        case hidden(SubmitFailure)
    }

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        switch await look(for: item, receipt) {
        case .there(let evidence): .present(evidence)
        case .withoutItem, .gone: .absent
        case .hidden(let failure): .unknown(failure.message)
        }
    }

    func look(for item: MediaItem, _ receipt: Receipt) async -> Sight {
        if receipt.remoteID.isNameless { return .hidden(service.nameless(item.name)) }
        var scope = names.scope(for: item, job: ("", 1), dropboxHash: nil)
        scope["receipt"] = receipt.value
        var call = RecipeService.Call(request: rule.request, captures: rule.captures, isRight: rule.isRight)
        call.treatAsRight = rule.gone
        call.name = "presence"
        call.isUnfinished = true
        call.isQuestion = true
        let answer: ServiceAnswer
        do throws(RecipeService.Trouble) {
            answer = try await service.exchange(call, in: &scope, file: nil).answer
        } catch {
            return .hidden(error.failure)
        }
        do throws(RecipeFault) {
            for gone in rule.gone where try gone.matches(answer, in: scope) {
                guard answer.isPage else { return .gone }
                return .hidden(service.page(answer, ""))
            }
            guard try rule.isThere?.isTrue(in: scope) ?? true else { return .withoutItem }
            return .there(try rule.evidence.evidence(in: scope))
        } catch {
            return .hidden(error.failure(service.recipe, at: service.destination))
        }
    }
}

/// Copies are removed; albums stay, since recipes know nothing of removing those.
struct RecipeRemoval: RemovalFacet {
    let rule: Recipe.RemovalRule
    let service: RecipeService
    let names: RecipeNames

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        if receipt.remoteID.isNameless { throw service.nameless(receipt.remoteID) }
        var scope = names.base
        scope["receipt"] = receipt.value
        var call = RecipeService.Call(request: rule.request, isRight: rule.isRight)
        call.treatAsRight = rule.gone
        do throws(RecipeService.Trouble) {
            _ = try await service.exchange(call, in: &scope, file: nil)
        } catch {
            throw error.failure
        }
    }

    func removeAlbum(_ album: String) async throws(SubmitFailure) {}
}

/// Asks a service whose the credentials are after an item failed. A small photo stored on trial would be published.
struct RecipeTrial: TrialFacet {
    private let service: RecipeService
    private let names: RecipeNames

    /// Returns `nil` if the recipe has nothing to ask.
    init?(_ service: RecipeService, _ names: RecipeNames) {
        if service.recipe.identity == nil { return nil }
        (self.service, self.names) = (service, names)
    }

    func trial(after item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) -> TrialResult {
        _ = try await service.whoami(names)
        return .answered
    }
}

extension RecipeService {
    /// Asks the service whose the credentials in use are; `nil` where it has no way to tell.
    func whoami(_ names: RecipeNames) async throws(SubmitFailure) -> LoginAccount? {
        guard let identity = recipe.identity else { return nil }
        var scope = names.base
        let call = Call(request: identity.request, captures: identity.captures, isRight: identity.isRight)
        do throws(Trouble) {
            let captured = try await exchange(call, in: &scope, file: nil).captured
            let id = captured["id"]?.asText
            return LoginAccount(name: captured["name"]?.asText ?? id ?? "the account", id: id)
        } catch {
            throw error.failure
        }
    }
}

extension String {
    private static let namelessMark = "sha256:"

    /// Stands for the id of a copy where the service does not say what it calls it: what the copy holds, and no name.
    static func nameless(_ item: MediaItem) -> String { namelessMark + (item.digests.hexadecimal(.sha256) ?? "") }

    var isNameless: Bool { hasPrefix(Self.namelessMark) }
}

extension RecipeService {
    /// There is no way to ask about a copy without a name.
    fileprivate func nameless(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "nameless",
            message:
                "\(recipe.title) does not say what it calls “\(what)”, so that it cannot be looked for: look there yourself."
        )
    }
}

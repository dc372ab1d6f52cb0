internal import Submit

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

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        if receipt.remoteID.isNameless { return .unknown(service.nameless(item.name).message) }
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
            return .unknown(error.failure.message)
        }
        do throws(RecipeFault) {
            for gone in rule.gone where try gone.matches(answer, in: scope) {
                guard answer.isPage else { return .absent }
                return .unknown(service.page(answer, "").message)
            }
            guard try rule.isThere?.isTrue(in: scope) ?? true else { return .absent }
            return .present(try rule.evidence.evidence(in: scope))
        } catch {
            return .unknown(error.failure(service.recipe, at: service.destination).message)
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

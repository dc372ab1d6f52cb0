public import Submit
internal import SubmitHTTP
internal import SubmitRecipes

/// Puts media items on a service as its recipe says.
///
/// Each step is kept in a checkpoint, and a broken upload goes on where the service says that it stands. A step that must
/// not be repeated is not: where its answer is lost, the service is asked, or the outcome is unknown. What is still being
/// processed there is looked at again with `Remedy.wait(after:)`. Requests go to the recipe's hosts and to
/// no others.
///
/// Receipts name what the service calls the copy; their evidence is what the recipe's rules make of the answers.
public struct RecipeSubmitter: Submitter {
    public let capabilities: Capabilities
    public let facets: Facets

    let service: RecipeService
    let names: RecipeNames
    private let seal: any CaptureCipher
    private let cache: AlbumCache?
    private let limits: AskedLimits?
    private let usesDropboxHash: Bool

    var recipe: Recipe { service.recipe }

    init(
        _ service: RecipeService, _ settings: DestinationSettings, capabilities: Capabilities,
        login: (any LoginFacet)? = nil,
        seal: (any CaptureCipher)? = nil
    ) {
        let recipe = service.recipe
        let names = RecipeNames(recipe, settings)
        self.service = service
        self.names = names
        var capabilities = capabilities
        // What cannot be told is taken for what anybody sees.
        if (try? recipe.privateWhen?.isTrue(in: names.base)) == true { capabilities.visibility = .private }
        self.capabilities = capabilities
        self.seal = seal ?? StoredKeyCipher(settings.secretStore)
        usesDropboxHash = recipe.mentions("file", "dropbox_hash")
        let limits = recipe.limits.question.map { AskedLimits($0, service, names) }
        self.limits = limits
        let base = { @Sendable () async throws(SubmitFailure) -> ExpressionScope in
            var scope = names.base
            if let asked = try await limits?.answers() { scope["ask"] = .map(asked) }
            return scope
        }
        let cache = recipe.albums.map { AlbumCache(service, $0, notes: settings.notes, base: base) }
        self.cache = cache
        facets = Facets(
            albums: cache.map { RecipeAlbums(cache: $0, service: service) },
            presence: recipe.presence.map { RecipePresence(rule: $0, service: service, names: names) },
            removal: recipe.removal.map { RecipeRemoval(rule: $0, service: service, names: names) }, login: login,
            limits: limits.map { RecipeLimits(service: service, names: names, asked: $0) },
            trial: RecipeTrial(service, names))
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let coding = RunStateCoding(recipe: recipe, seal: seal, submission: context.submission)
        let state: RunState
        let isRestored: Bool
        switch try await coding.state(context.checkpoint) {
        case .state(let kept): (state, isRestored) = (kept, true)
        case .nothing: (state, isRestored) = (RunState(), false)
        case .lost:
            throw SubmitFailure(
                .outcomeUnknown, code: "outcome-unknown",
                message:
                    "Whether “\(item.name)” arrived at “\(service.destination)” is not known, since its recipe or its keys have "
                    + "changed in the middle: look there, and submit it again only if it is missing.")
        }
        let hash = usesDropboxHash ? try await RecipeNames.dropboxHash(of: bytes) : nil
        let job = state.round == 0 ? context.submission : "\(context.submission)-\(state.round)"
        var scope = names.scope(for: item, job: (job, context.attempt), dropboxHash: hash)
        if let asked = try await limits?.answers() { scope["ask"] = .map(asked) }
        try refuse(item, scope)
        let file = SentFile(item: item, bytes: bytes)
        var album: AlbumCache.Found?
        if let name = context.album, let cache, !state.isInAlbum {
            album = try await cache.album(name)
            scope["album"] = .map(["name": .text(name), "id": album?.id ?? .null])
        }
        var upload = RecipeUpload(
            service: service, coding: coding, context: context, file: file, state: state, isRestored: isRestored,
            scope: scope)
        try await upload.run()
        var receipt = try receipt(upload)
        try await upload.verifyHolding(receipt, recipe.presence.map { sight($0) })
        receipt.note = Self.joined(receipt.note, album?.note)
        if let name = context.album, let cache, !upload.state.isInAlbum, !receipt.remoteID.isNameless {
            let note = try await add(receipt, to: name, album, on: cache, upload)
            receipt.note = Self.joined(receipt.note, note)
        }
        return receipt
    }

    private static func joined(_ first: String?, _ second: String?) -> String? {
        guard let first else { return second }
        return second.map { "\(first) \($0)" } ?? first
    }

    /// How a copy is looked at.
    private func sight(_ rule: Recipe.PresenceRule) -> RecipePresence {
        RecipePresence(rule: rule, service: service, names: names)
    }

    /// What recipes and services say of items of this kind.
    private func refuse(_ item: MediaItem, _ scope: ExpressionScope) throws(SubmitFailure) {
        let limits: ItemLimits
        var captionLimit = recipe.limits.captionLimit
        do throws(RecipeFault) {
            limits = try recipe.limits(of: item.type.kind, in: scope)
            if scope["ask"]?.members?.isEmpty == false,
                let asked = try recipe.limits.question?.captionLimit?.integer(in: scope)
            {
                captionLimit = min(Int(clamping: asked), captionLimit ?? .max)
            }
        } catch {
            throw error.failure(recipe, at: service.destination, file: item.name)
        }
        func refusal(_ code: String, _ why: String) -> SubmitFailure {
            SubmitFailure(
                .giveUp, code: code, message: "“\(item.name)” was not sent to “\(service.destination)”: \(why).")
        }
        if let mostBytes = limits.maximumSize, item.size > mostBytes {
            throw refusal(
                "too-large", "it has \(item.size) bytes, and \(recipe.title) takes at most \(mostBytes) there")
        }
        if let mimes = limits.mimeTypes, !mimes.contains(item.type.mime) {
            throw refusal("type", "\(recipe.title) takes no \(item.type.mime) there, convert it first")
        }
        if let captionLimit, let caption = item.caption, caption.count > captionLimit {
            throw refusal(
                "caption",
                "its caption has \(caption.count) characters, and \(recipe.title) takes at most \(captionLimit)")
        }
    }

    private func receipt(_ upload: RecipeUpload) throws(SubmitFailure) -> Receipt {
        let (rule, scope, item) = (recipe.receipt, upload.scope, upload.file.item)
        do throws(RecipeFault) {
            let wasThere = try rule.wasThere?.isTrue(in: scope) ?? false
            var note: String?
            // A service that calls it a duplicate need not say of what.
            var id: String?
            if upload.state.isDuplicate {
                id = try? rule.id.text(in: scope)
                if id == nil { note = "\(recipe.title) had it already, and does not say under which name." }
            } else {
                id = try rule.id.text(in: scope)
            }
            // By an id with our secret in it nothing can be asked for without showing that.
            if let name = id, !KnownSecrets.areAbsent(fromName: name) { id = nil }
            let url = upload.state.isDuplicate ? try? rule.url?.text(in: scope) : try rule.url?.text(in: scope)
            if note == nil { note = try rule.note?.text(in: scope) }
            if id == nil, note == nil { note = "\(recipe.title) does not say what it calls the copy." }
            return Receipt(
                remoteID: id ?? .nameless(item), url: url ?? nil,
                // That it has these bytes is the service's word, and there is no copy to look at.
                evidence: upload.state.isDuplicate && id == nil ? .accepted : try rule.evidence.evidence(in: scope),
                wasThere: wasThere || upload.state.isDuplicate, note: note)
        } catch {
            throw error.failure(recipe, at: service.destination, file: item.name)
        }
    }

    /// Puts what was uploaded into its album.
    ///
    /// - Returns: a sentence about the album for people.
    private func add(
        _ receipt: Receipt, to name: String, _ found: AlbumCache.Found?, on cache: AlbumCache, _ upload: RecipeUpload
    ) async throws(SubmitFailure) -> String? {
        var scope = upload.scope
        scope["receipt"] = receipt.value
        var album = found
        var note: String?
        if album == nil {
            let (made, isNew) = try await cache.album(name, with: upload.file, in: scope)
            if isNew { return made.note }
            (album, note) = (made, made.note)
        }
        guard let addition = recipe.albums?.addition else { return note }
        scope["album"] = .map(["name": .text(name), "id": album?.id ?? .null])
        var call = RecipeService.Call(request: addition.request, isRight: addition.isRight)
        call.treatAsRight = addition.treatAsRight
        do throws(RecipeService.Trouble) {
            _ = try await service.exchange(call, in: &scope, file: upload.file)
        } catch {
            let clause = "“\(upload.file.item.name)” is at “\(service.destination)”, but not in the album “\(name)” yet"
            var failure = error.failure.retold(of: upload.file.item.name, clause)
            guard !error.isRuled, error.kind == .fatal, [404, 410].contains(error.answer?.status) else { throw failure }
            // Someone removed the album since it was listed.
            await cache.forget(name)
            failure.remedy = .retry(after: nil)
            throw failure
        }
        return note
    }

    /// Does nothing in most cases: what services hold of broken uploads goes with time.
    ///
    /// - Throws: while a post is there that was made without the item. The checkpoint that knows of it is kept then, and
    ///   nothing is posted again before a look.
    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        guard let presence = recipe.presence, recipe.receipt.holdsItem != nil,
            case .state(let state) = try await RunStateCoding(
                recipe: recipe, seal: seal, submission: context.submission
            ).state(context.checkpoint), state.lacksItem
        else { return }
        var scope = names.scope(for: item, job: (context.submission, context.attempt), dropboxHash: nil)
        for (step, captures) in state.captures { scope[step] = .map(captures) }
        guard let id = try? recipe.receipt.id.text(in: scope) else { return }
        let receipt = Receipt(remoteID: id, url: try? recipe.receipt.url?.text(in: scope), evidence: .unknown)
        if case .gone = await sight(presence).look(for: item, receipt) { return }
        throw recipe.postedWithout(item, at: service.destination, receipt)
    }

    public func check() async throws(SubmitFailure) -> String {
        guard let account = try await whoami() else {
            return "\(recipe.title) at \(service.hosts.name) is used as configured; it has no way to ask who we are."
        }
        return "\(recipe.title) at \(service.hosts.name) takes our credentials: they are those of “\(account.name)”."
    }

    /// Asks the service whose the credentials in use are; `nil` where it has no way to tell.
    func whoami() async throws(SubmitFailure) -> LoginAccount? { try await service.whoami(names) }
}

extension Receipt {
    /// For expressions.
    var value: RecipeValue { .map(["id": .text(remoteID), "url": RecipeValue(url)]) }
}

extension Recipe.EvidenceRule {
    /// The strongest there can be.
    var strongest: Evidence {
        if verified != nil { return .verified }
        if echoed != nil { return .echoed }
        if size != nil { return .size }
        return accepted == nil ? .unknown : .accepted
    }

    func evidence(in scope: ExpressionScope) throws(RecipeFault) -> Evidence {
        if try verified?.isTrue(in: scope) ?? false { return .verified }
        if try echoed?.isTrue(in: scope) ?? false { return .echoed }
        if try size?.isTrue(in: scope) ?? false { return .size }
        if try accepted?.isTrue(in: scope) ?? false { return .accepted }
        return .unknown
    }
}

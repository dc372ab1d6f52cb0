internal import Submit
internal import SubmitConcurrency
internal import SubmitRecipes

/// The albums of one destination, found by their names.
final class AlbumCache: Sendable {
    private let service: RecipeService
    private let albums: Recipe.Albums
    private let base: @Sendable () async throws(SubmitFailure) -> ExpressionScope
    private let unique: UniqueCreation
    /// Ids by name, as they were listed or created.
    private let known = Locked<[String: String]>([:])

    /// How many pages of a list are read.
    private static let mostPages = 2000

    /// - Parameters:
    ///   - notes: what the processes of this destination share.
    ///   - base: names that stand for something outside an upload.
    init(
        _ service: RecipeService, _ albums: Recipe.Albums, notes: any DestinationNotes,
        base: @escaping @Sendable () async throws(SubmitFailure) -> ExpressionScope
    ) {
        self.service = service
        self.albums = albums
        self.base = base
        unique = UniqueCreation(of: "album", at: service.destination, notes: notes, clock: service.clock)
    }

    /// An album that exists; its id is nothing where a name is all one needs.
    struct Found: Sendable {
        var name: String
        var id: RecipeValue
        /// A sentence about it for people.
        var note: String?
    }

    /// The album of this name. Creates it if it isn't there.
    ///
    /// - Returns: `nil` where it is not there, and can only be created with its first item.
    func album(_ name: String) async throws(SubmitFailure) -> Found? {
        guard albums.list != nil else { return Found(name: name, id: .null) }
        let creation = albums.creation
        if let (found, _) = try await find(name, creation?.needsItem == false ? creation : nil, with: nil, in: nil) {
            return found
        }
        guard creation == nil else { return nil }
        throw SubmitFailure(
            .giveUp, code: "no-album",
            message:
                "“\(service.destination)” has no album “\(name)”, and albums cannot be made there from here: make "
                + "it at \(service.recipe.title).")
    }

    /// The album of this name. Creates it with its first item if it isn't there by now.
    ///
    /// - Parameter scope: with the upload's steps, and `receipt`.
    /// - Returns: whether it was created, so that the item is in it.
    func album(
        _ name: String, with file: SentFile, in scope: ExpressionScope
    ) async throws(SubmitFailure) -> (album: Found, isNew: Bool) {
        try await find(name, albums.creation, with: file, in: scope) ?? (Found(name: name, id: .null), false)
    }

    /// Someone removed it.
    func forget(_ name: String) async {
        known.withLock { $0[name] = nil }
        await unique.forget(name)
    }

    /// - Returns: `nil` where it isn't there, and there is no way to create it.
    private func find(
        _ name: String, _ creation: Recipe.Albums.Creation?, with file: SentFile?, in scope: ExpressionScope?
    ) async throws(SubmitFailure) -> (album: Found, isNew: Bool)? {
        if let id = known.withLock({ $0[name] }) { return (Found(name: name, id: .text(id)), false) }
        var create: (@Sendable () async throws(SubmitFailure) -> String)?
        if let creation {
            create = { () async throws(SubmitFailure) in
                let names = if let scope { scope } else { try await self.base() }
                return try await self.make(name, creation, in: names, file: file)
            }
        }
        let outcome = try await unique.find(
            name, list: { () async throws(SubmitFailure) in try await self.candidates(name) }, create: create)
        guard let outcome else { return nil }
        known.withLock { $0[name] = outcome.id }
        return (Found(name: name, id: .text(outcome.id), note: outcome.note), outcome.isNew)
    }

    private func make(
        _ name: String, _ creation: Recipe.Albums.Creation, in scope: ExpressionScope, file: SentFile?
    ) async throws(SubmitFailure) -> String {
        var scope = scope
        scope["album"] = .map(["name": .text(name)])
        var call = RecipeService.Call(request: creation.request, captures: creation.captures, isRight: creation.isRight)
        call.treatAsRight = creation.treatAsRight
        let exchange: RecipeService.Exchange
        do throws(RecipeService.Trouble) {
            exchange = try await service.exchange(call, in: &scope, file: file)
        } catch {
            throw error.failure
        }
        if let id = exchange.captured["id"]?.asText { return id }
        // It was there, as the recipe says of this answer: the list has its id.
        if let there = try await candidates(name).first { return there.id }
        throw SubmitFailure(
            .retry(after: nil), code: "bad-answer",
            message: "\(service.recipe.title) does not say which album “\(name)” is: it is asked again.")
    }

    /// The albums of this name. Those whose names are their own are known from now on.
    private func candidates(_ name: String) async throws(SubmitFailure) -> [UniqueCreation.Candidate] {
        let listed = try await list()
        known.withLock { known in
            for (title, candidates) in listed where candidates.count == 1 && title != name && known[title] == nil {
                known[title] = candidates[0].id
            }
        }
        return listed[name] ?? []
    }

    // MARK: Listing

    /// All albums that one may add to, by their names.
    func list() async throws(SubmitFailure) -> [String: [UniqueCreation.Candidate]] {
        guard let listing = albums.list else { return [:] }
        var scope = try await base()
        var found: [String: [UniqueCreation.Candidate]] = [:]
        var request = listing.request
        var number: Int64 = 1
        if case .page(let first, _, _) = listing.next { number = first }
        scope["page"] = .map(["number": .integer(number)])
        if case .page(_, let query, _) = listing.next { request = request.adding(query, .integer(number)) }
        for _ in 0..<Self.mostPages {
            let exchange: RecipeService.Exchange
            do throws(RecipeService.Trouble) {
                var call = RecipeService.Call(request: request)
                (call.isQuestion, call.readsBody) = (true, true)
                exchange = try await service.exchange(call, in: &scope, file: nil)
            } catch {
                throw error.failure
            }
            guard case .list(let items)? = exchange.answer.json?.at(listing.items) else {
                if exchange.answer.isPage || exchange.answer.json == nil {
                    throw service.misconfigured(
                        "bad-answer",
                        "“\(service.hosts.name)” answers with no list of albums: check the destination's settings.")
                }
                return found
            }
            do throws(RecipeFault) {
                for item in items {
                    var asked = scope
                    asked.setLookup("item") { item.at(named: $0) }
                    if let only = listing.only, try !only.isTrue(in: asked) { continue }
                    guard let id = item.at(listing.id).asText, let title = item.at(listing.title).asText else {
                        continue
                    }
                    let created = listing.created.flatMap { ServiceTime.timestamp(item.at($0)) }
                    // A page may begin with what the last one ended with.
                    if found[title]?.contains(where: { $0.id == id }) == true { continue }
                    found[title, default: []].append(.init(id: id, created: created))
                }
                guard let next = try listing.request(after: exchange.answer, items.count, &number, &scope) else {
                    return found
                }
                request = next
            } catch {
                throw error.failure(service.recipe, at: service.destination)
            }
        }
        return found
    }
}

extension Recipe.Albums.Listing {
    /// The request for the page after this answer; `nil` after the last.
    fileprivate func request(
        after answer: ServiceAnswer, _ count: Int, _ number: inout Int64, _ scope: inout ExpressionScope
    ) throws(RecipeFault) -> Recipe.Request? {
        switch next {
        case .none: return nil
        case .token(let pointer, let place, let isMore):
            let token = answer.json?.at(pointer) ?? .null
            guard !token.isNothing, try isMore?.isTrue(in: scope) ?? true else { return nil }
            scope["page"] = .map(["token": token])
            switch place {
            case .query(let name): return request.adding(name, token)
            case .request(let other): return other ?? request
            }
        case .page(_, let query, let isMore):
            guard count > 0, try isMore?.isTrue(in: scope) ?? true else { return nil }
            number += 1
            scope["page"] = .map(["number": .integer(number)])
            return request.adding(query, .integer(number))
        case .link:
            guard let url = answer.header("Link").flatMap({ Self.next(in: $0) }) else { return nil }
            return request.at(url)
        }
    }

    /// The target of the link with `rel="next"` (RFC 8288, section 3).
    private static func next(in header: String) -> String? {
        var rest = header[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let target = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let parameters = rest.prefix { $0 != "<" }.lowercased()
            let isNext = parameters.split(whereSeparator: { ";,".contains($0) }).contains { parameter in
                ["rel=next", "rel=\"next\""].contains(parameter.filter { $0 != " " })
            }
            if isNext { return String(target) }
        }
        return nil
    }
}

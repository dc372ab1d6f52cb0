internal import Submit
internal import SubmitConcurrency

/// The albums of one destination, found by their names.
final class AlbumCache: Sendable {
    private let service: RecipeService
    private let albums: Recipe.Albums
    private let base: @Sendable () async throws(SubmitFailure) -> ExpressionScope
    /// Ids by name, as they were listed or made.
    private let known = Locked<[String: String]>([:])

    /// One at a time looks for an album, or makes it.
    private static let claims = KeyedLock()

    /// How many pages of a list are read.
    private static let mostPages = 2000

    /// - Parameter base: names that stand for something outside an upload.
    init(
        _ service: RecipeService, _ albums: Recipe.Albums,
        base: @escaping @Sendable () async throws(SubmitFailure) -> ExpressionScope
    ) {
        self.service = service
        self.albums = albums
        self.base = base
    }

    /// An album that exists; its id is nothing where a name is all one needs.
    struct Found: Sendable {
        var name: String
        var id: RecipeValue
    }

    /// The album of this name, made where it is not there.
    ///
    /// - Returns: `nil` where it is not there, and can only be made with its first item.
    func album(_ name: String) async throws(SubmitFailure) -> Found? {
        if let id = known.withLock({ $0[name] }) { return Found(name: name, id: .text(id)) }
        return try await alone(name) { () async throws(SubmitFailure) -> Found? in
            if let found = try await self.look(for: name) { return found }
            guard let creation = self.albums.creation else {
                if self.albums.list == nil { return Found(name: name, id: .null) }
                throw SubmitFailure(
                    .giveUp, code: "no-album",
                    message:
                        "“\(self.service.destination)” has no album “\(name)”, and albums cannot be made there from here: make "
                        + "it at \(self.service.recipe.title).")
            }
            if creation.needsItem { return nil }
            return try await self.make(name, creation, in: try await self.base(), file: nil)
        }
    }

    /// The album of this name; made with its first item where it is not there by now.
    ///
    /// - Parameter scope: with the upload's steps, and `receipt`.
    /// - Returns: whether it was made, so that the item is in it.
    func album(
        _ name: String, with file: SentFile, in scope: ExpressionScope
    ) async throws(SubmitFailure) -> (album: Found, isNew: Bool) {
        try await alone(name) { () async throws(SubmitFailure) in
            if let found = try await self.look(for: name) { return (found, false) }
            guard let creation = self.albums.creation else { return (Found(name: name, id: .null), false) }
            return (try await self.make(name, creation, in: scope, file: file), true)
        }
    }

    /// Someone removed it.
    func forget(_ name: String) {
        known.withLock { $0[name] = nil }
    }

    private func alone<Result: Sendable>(
        _ name: String, _ body: () async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        let claim = "\(service.recipe.service) \(service.destination) \(name)"
        guard await Self.claims.acquire(claim) else { throw .cancelled }
        defer { Self.claims.release(claim) }
        return try await body()
    }

    private func look(for name: String) async throws(SubmitFailure) -> Found? {
        if let id = known.withLock({ $0[name] }) { return Found(name: name, id: .text(id)) }
        guard albums.list != nil else { return nil }
        let listed = try await list()
        known.withLock { known in known.merge(listed) { first, _ in first } }
        return known.withLock { $0[name] }.map { Found(name: name, id: .text($0)) }
    }

    private func make(
        _ name: String, _ creation: Recipe.Albums.Creation, in scope: ExpressionScope, file: SentFile?
    ) async throws(SubmitFailure) -> Found {
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
        let id = exchange.captured["id"] ?? .null
        if let text = id.asText { known.withLock { $0[name] = text } }
        return Found(name: name, id: id)
    }

    // MARK: Listing

    /// Names and ids of all albums that one may add to. Of several with one name the first counts.
    func list() async throws(SubmitFailure) -> [String: String] {
        guard let listing = albums.list else { return [:] }
        var scope = try await base()
        var found: [String: String] = [:]
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
                    if found[title] == nil { found[title] = id }
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

extension Recipe.Request {
    /// The same with one more field of the query.
    fileprivate func adding(_ name: String, _ value: RecipeValue) -> Recipe.Request {
        let field = Recipe.Field(
            place: place, name: name, value: RecipeTemplate(place: place, pieces: [.value(.literal(value))]))
        return changed(url: url, query: query.filter { $0.name != name } + [field])
    }

    /// The same for a URL that the service gave.
    fileprivate func at(_ url: String) -> Recipe.Request {
        changed(url: RecipeTemplate(place: place, pieces: [.value(.literal(.text(url)))]), query: [])
    }

    private func changed(url: RecipeTemplate, query: [Recipe.Field]) -> Recipe.Request {
        Recipe.Request(
            place: place, method: method, url: url, query: query, headers: headers, jsonHeaders: jsonHeaders,
            credential: credential, body: body, expected: expected, asksToContinue: asksToContinue, timeout: timeout)
    }
}

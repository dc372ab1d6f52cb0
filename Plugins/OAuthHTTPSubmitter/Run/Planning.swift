public import Submit
internal import SubmitHTTP
public import SubmitRecipes

extension RecipeSubmitter: RequestPlanner {
    public func requests(
        for item: MediaItem, bytes: any MediaBytes, album: String?
    ) async throws(SubmitFailure) -> [PlannedRequest] {
        let hash = recipe.mentions("file", "dropbox_hash") ? try await RecipeNames.dropboxHash(of: bytes) : nil
        var scope = names.scope(for: item, job: ("job", 1), dropboxHash: hash)
        scope["status"] = .integer(200)
        scope["account"] = nil
        scope.setLookup("account") { .text(AnswerPlaceholder.mark("account.\($0)")) }
        if let question = recipe.limits.question {
            scope["ask"] = .map(AnswerPlaceholder.captures(question.captures, of: "ask"))
        }
        let file = SentFile(item: item, bytes: bytes)
        do throws(RecipeFault) {
            var plan: [PlannedRequest] = []
            if let question = recipe.limits.question {
                plan.append(try planned(question.request, "limits", "once an hour", scope, nil))
            }
            if let album, let albums = recipe.albums {
                scope["album"] = .map(["name": .text(album), "id": .text(AnswerPlaceholder.mark("album.id"))])
                scope["page"] = .map(["number": .integer(1), "token": .null])
                if let list = albums.list {
                    plan.append(try planned(list.request, "album", "looks for it", scope, nil))
                }
                if let creation = albums.creation, !creation.needsItem {
                    plan.append(try planned(creation.request, "album", "if it is not there", scope, nil))
                }
            }
            for step in recipe.upload { plan += try planned(step, &scope, file) }
            scope["receipt"] = .map([
                "id": .text(AnswerPlaceholder.mark("receipt.id")), "url": .text(AnswerPlaceholder.mark("receipt.url")),
            ])
            if album != nil, let albums = recipe.albums {
                if let creation = albums.creation, creation.needsItem {
                    plan.append(try planned(creation.request, "album", "if it is not there", scope, file))
                }
                if let addition = albums.addition {
                    plan.append(try planned(addition.request, "album", nil, scope, file))
                }
            }
            return plan
        } catch {
            throw error.failure(recipe, at: service.destination, file: item.name)
        }
    }

    private func planned(
        _ step: Recipe.Step, _ scope: inout ExpressionScope, _ file: SentFile
    ) throws(RecipeFault) -> [PlannedRequest] {
        var notes: [String] = []
        if let when = step.when {
            let others = Set(recipe.upload.map(\.id) + ["ask", "account"])
            if when.expression.mentions(anyOf: others) {
                notes.append("if what was answered before says so")
            } else if try !when.isTrue(in: scope) {
                return []
            }
        }
        var file = file
        if let chunks = step.chunks {
            let size = file.item.size
            // What a service will say of it is not known.
            let wanted = max(1, (try? chunks.size.integer(in: scope)) ?? size)
            let unit = max(1, (try? chunks.multipleOf?.integer(in: scope) ?? 1) ?? 1)
            let least = (size + Int64(chunks.most) - 1) / Int64(chunks.most)
            let length = max(unit, wanted / unit * unit, (least + unit - 1) / unit * unit)
            let end = min(length, size)
            file.range = 0..<end
            scope["chunk"] = .map([
                "index": .integer(0), "offset": .integer(0), "length": .integer(end), "end": .integer(end),
                "is_last": .bool(end == size),
            ])
            let count = max(1, (size + length - 1) / length)
            if count > 1 { notes.append("the first of \(count) pieces of \(length) bytes") }
        }
        if step.poll != nil { notes.append("until the service is ready") }
        let note = notes.isEmpty ? nil : notes.joined(separator: ", ")
        let request = try planned(step.request, step.id, note, scope, file)
        scope[step.id] = .map(AnswerPlaceholder.captures(step.captures, of: step.id))
        return [request]
    }

    private func planned(
        _ request: Recipe.Request, _ purpose: String, _ note: String?, _ scope: ExpressionScope, _ file: SentFile?
    ) throws(RecipeFault) -> PlannedRequest {
        let words = file.map { WordBytes($0.range ?? $0.whole, of: $0.item.name) }
        let stand = file.flatMap { file in words.map { SentFile(item: file.item, bytes: $0) } }
        let outgoing = try request.outgoing(in: scope, file: stand, boundary: "boundary") {
            (url, isGiven) throws(RecipeFault) in
            // Where the service will send us is looked at when it has.
            AnswerPlaceholder.stands(in: url) && isGiven
                ? url : try service.hosts.absolute(url, isGiven: isGiven, at: request.place)
        }
        var headers = outgoing.request.headers
        if outgoing.credential != .none { headers += service.credentials.headerNames.map { ($0, "…") } }
        let body = (words ?? WordBytes(0..<0, of: "")).shown(outgoing.request.body)
        return PlannedRequest(
            purpose: purpose, note: note, method: request.method, url: AnswerPlaceholder.shown(outgoing.request.url),
            headers: headers.map { ($0.name, AnswerPlaceholder.shown($0.value)) },
            body: KnownSecrets.redacted(AnswerPlaceholder.shown(body)))
    }
}

/// What stands for an answer that is not known yet: letters that need no encoding anywhere, until it is shown.
private enum AnswerPlaceholder {
    static func mark(_ name: String) -> String { "~~\(name)~~" }

    static func captures(_ captures: [Recipe.Capture], of step: String) -> [String: RecipeValue] {
        Dictionary(captures.map { ($0.name, .text(mark("\(step).\($0.name)"))) }) { first, _ in first }
    }

    static func stands(in text: String) -> Bool { text.contains("~~") }

    /// With `{name}` in place of each mark.
    static func shown(_ text: String) -> String {
        let parts = text.split(separator: "~~", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return text }
        return parts.enumerated().map {
            $0.offset % 2 == 1 && $0.offset < parts.count - 1 ? "{\($0.element)}" : String($0.element)
        }
        .joined()
    }
}

/// Words in place of a file's bytes.
private struct WordBytes: MediaBytes {
    let words: [UInt8]

    init(_ range: Range<Int64>, of name: String) {
        let start = range.lowerBound > 0 ? " from \(range.lowerBound) on" : ""
        words = Array("<\(range.upperBound - range.lowerBound) bytes of \(name)\(start)>".utf8)
    }

    var size: Int64 { Int64(words.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let part = words.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func verifyUnchanged() throws(SubmitFailure) {}

    var fileDescriptor: CInt? { nil }

    /// A body with these words in it, as text.
    func shown(_ body: HTTPBody) -> String {
        let text = (try? body.contents()).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.replacing(Base64.text(of: words), with: String(decoding: words, as: UTF8.self) + " in base64")
    }
}

internal import Submit

@testable internal import OAuthHTTPSubmitter
@testable internal import SubmitRecipes

/// Reads recipes, and what stands in them: a template or an expression in the first line, for an answer in the rest.
func fuzzRecipes(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if bytes.first == UInt8(ascii: "#") || bytes.starts(with: "recipe".utf8) { return readRecipe(text) }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let first = String(decoding: lines[0], as: UTF8.self)
    let body = lines.count > 1 ? Array(lines[1]) : []
    if let value = JSONText.read(body) { precondition(JSONText.read(JSONText.write(value)) == value) }
    _ = JSONPointer(first).map { (JSONText.read(body) ?? .null).at($0) }
    _ = XMLPath(first)
    let answer = ServiceAnswer(.init(fuzzed: body))
    _ = answer.words
    if let wait = answer.wait(now: now) { precondition((.zero ... .seconds(86_400)).contains(wait)) }
    evaluate(first, answer)
}

private let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)
private let place = RecipePlace(path: "recipe.yaml", line: 1, column: 1)

/// It can be read, or it is told what is wrong and where.
private func readRecipe(_ text: String) {
    do throws(RecipeFaults) {
        _ = try Recipe(text: text, path: "recipe.yaml")
    } catch {
        precondition(!error.faults.isEmpty && error.faults.allSatisfy { $0.place.line >= 1 && $0.place.column >= 1 })
    }
}

/// What is sent is what it should be, whatever the answer and the item say.
private func evaluate(_ text: String, _ answer: ServiceAnswer) {
    var scope = ExpressionScope()
    answer.stand(in: &scope)
    scope["now"] = .integer(1_800_000_000)
    scope["item"] = .map([
        "name": .text(String(answer.text.prefix(64))), "size": .integer(7), "tags": .list([.text("a b"), .text(text)]),
        "caption": .null, "digest": .bytes([1, 2, 3]),
    ])
    if let formula = try? Formula(text, at: place, placing: { _ in place }) {
        _ = try? formula.evaluate(in: scope)
        _ = try? formula.isTrue(in: scope)
        _ = try? formula.integer(in: scope)
    }
    guard let template = try? RecipeTemplate(text, at: place, placing: { _ in place }) else { return }
    if let text = try? template.text(in: scope) { precondition(text.utf8.count <= RecipeValue.longestText) }
    if let header = try? template.header(in: scope) { precondition(header.isHeaderSafe) }
    if let url = try? template.url(in: scope) {
        precondition(url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
        precondition(!url.prefix { !"?#".contains($0) }.split(separator: "/").contains(".."))
    }
    if let value = try? template.evaluate(in: scope),
        let json = try? JSONTemplate.map([("a", .value(template))]).json(in: scope, isASCII: true)
    {
        let isWritten = !value.isNothing || template.isWritten
        precondition(JSONText.read(Array(json.utf8)) == .map(isWritten ? ["a": value] : [:]))
    }
}

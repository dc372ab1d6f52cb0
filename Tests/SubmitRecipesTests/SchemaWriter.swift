@testable import SubmitRecipes

/// Writes the language's table of keys as JSON Schema (draft 7, which editors know best).
struct SchemaWriter {
    indirect enum JSON {
        case text(String)
        case number(Int64)
        case bool(Bool)
        case list([JSON])
        case object([(String, JSON)])
    }

    private var definitions: [(String, JSON)] = []

    static func schema() -> String {
        var writer = SchemaWriter()
        let root = writer.reference(.recipe)
        let schema = JSON.object([
            ("$schema", .text("http://json-schema.org/draft-07/schema#")),
            ("title", .text("A recipe of submit")),
            ("allOf", .list([root])),
            ("definitions", .object(writer.definitions.sorted { $0.0 < $1.0 })),
        ])
        return text(schema, indent: "") + "\n"
    }

    private mutating func schema(_ form: RecipeGrammar) -> JSON {
        let scalar = JSON.list([.text("string"), .text("number"), .text("boolean")])
        switch form {
        case .text(let rule):
            guard let pattern = rule.pattern else { return .object([("type", scalar)]) }
            return .object([("type", .text("string")), ("pattern", .text(pattern))])
        case .template, .formula: return .object([("type", scalar)])
        case .json: return .object([])
        case .wholeNumber(let range):
            return .object([
                ("type", .text("integer")), ("minimum", .number(range.lowerBound)),
                ("maximum", .number(range.upperBound)),
            ])
        case .size: return quantity("B|KB|MB|GB|TB|KiB|MiB|GiB|TiB")
        case .time: return quantity("s|m|h|d")
        case .boolean: return .object([("type", .text("boolean"))])
        case .word(let words):
            return .object([("enum", .list(words.map(JSON.text) + words.compactMap { Int64($0).map(JSON.number) }))])
        case .statuses:
            let one = JSON.object([
                ("type", .list([.text("integer"), .text("string")])), ("pattern", .text("^[1-5](xx|[0-9][0-9])$")),
                ("minimum", .number(100)), ("maximum", .number(599)),
            ])
            return .object([("anyOf", .list([one, .object([("type", .text("array")), ("items", one)])]))])
        case .list(let element, let least):
            return .object([("type", .text("array")), ("minItems", .number(Int64(least))), ("items", schema(element))])
        case .host: return .object([("type", .text("string"))])
        case .anyOf(let forms): return .object([("anyOf", .list(forms.map { schema($0) }))])
        case .named(let rule, let element):
            var members: [(String, JSON)] = [("type", .text("object"))]
            if let pattern = rule.pattern { members.append(("propertyNames", .object([("pattern", .text(pattern))]))) }
            return .object(members + [("additionalProperties", schema(element))])
        case .mapping(let mapping): return reference(mapping)
        case .either(let other, let mapping): return .object([("anyOf", .list([schema(other), reference(mapping)]))])
        case .variant(let key, let summary, let variants):
            let forms = variants.map { word, form in
                let selector = MappingGrammar.Key(key, .word([word]), required: true, summary)
                return reference(MappingGrammar(form.title, oneOf: form.oneOf, [selector] + form.keys))
            }
            return .object([("oneOf", .list(forms))])
        }
    }

    private func quantity(_ units: String) -> JSON {
        .object([
            ("type", .list([.text("integer"), .text("string")])), ("pattern", .text("^[0-9]+(\(units))?$")),
            ("minimum", .number(0)),
        ])
    }

    private mutating func reference(_ form: MappingGrammar) -> JSON {
        let name = form.title.split(separator: " ").drop { ["a", "an", "the"].contains($0) }.joined(separator: "-")
            .lowercased()
        let reference = JSON.object([("$ref", .text("#/definitions/\(name)"))])
        guard !definitions.contains(where: { $0.0 == name }) else { return reference }
        // Its place is taken before its keys are looked at.
        let index = definitions.count
        definitions.append((name, .object([])))
        var properties: [(String, JSON)] = []
        for key in form.keys {
            var members: [(String, JSON)] = [("description", .text(key.summary))]
            // Beside `$ref` nothing counts in draft 7.
            let schema = schema(key.form)
            if case .object(let inner) = schema {
                members += inner.contains { $0.0 == "$ref" } ? [("allOf", .list([schema]))] : inner
            }
            properties.append((key.name, .object(members)))
        }
        var members: [(String, JSON)] = [
            ("type", .text("object")), ("additionalProperties", .bool(false)), ("properties", .object(properties)),
        ]
        let required = form.keys.filter(\.isRequired).map { JSON.text($0.name) }
        if !required.isEmpty { members.append(("required", .list(required))) }
        if !form.oneOf.isEmpty {
            members.append(("oneOf", .list(form.oneOf.map { .object([("required", .list([.text($0)]))]) })))
        }
        definitions[index].1 = .object(members)
        return reference
    }

    private static func text(_ json: JSON, indent: String) -> String {
        let inner = indent + "  "
        switch json {
        case .text(let text):
            let template = RecipeTemplate(place: RecipePlace(path: "", line: 1, column: 1), pieces: [.text(text)])
            return (try? JSONTemplate.value(template).json(in: ExpressionScope())) ?? ""
        case .number(let number): return String(number)
        case .bool(let flag): return flag ? "true" : "false"
        case .list(let elements):
            let texts = elements.map { text($0, indent: inner) }
            let line = "[\(texts.joined(separator: ", "))]"
            if line.count <= 100, !line.contains("\n") { return line }
            return "[\n\(texts.map { inner + $0 }.joined(separator: ",\n"))\n\(indent)]"
        case .object(let members):
            let texts = members.map { "\"\($0.0)\": \(text($0.1, indent: inner))" }
            let line = "{\(texts.joined(separator: ", "))}"
            if line.count <= 100, !line.contains("\n") { return line }
            return "{\n\(texts.map { inner + $0 }.joined(separator: ",\n"))\n\(indent)}"
        }
    }
}

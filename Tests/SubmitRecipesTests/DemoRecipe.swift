@testable import SubmitRecipes

/// A small recipe without faults, to be changed by tests.
enum DemoRecipe {
    static let text = """
        recipe: 1
        service: demo
        title: Demo
        summary: Takes photos
        facts: { checked: 2026-11-21, sources: [https://example.com/docs], tested: never }
        settings: { shown: { kind: choice, of: [all, me], default: me, summary: Who sees it } }
        hosts: [https://api.example.com]
        auth: { kind: none }
        limits: { kinds: [photo] }
        upload:
          - id: up
            request: { method: PUT, url: "/up/{{ file.sha256 }}", body: { raw: file } }
            capture: { id: { json: /id } }
        receipt: { id: "{{ up.id }}" }

        """

    /// The recipe with one text in it replaced by another.
    static func with(_ old: String, _ new: String) -> String {
        precondition(text.contains(old), "“\(old)” is not in the recipe")
        return text.replacing(old, with: new)
    }

    /// All that is wrong with a text, as `line:column: sentence`.
    static func faults(_ text: String) -> [String] {
        do throws(RecipeFaults) {
            _ = try Recipe(text: text, path: "demo.yaml")
            return []
        } catch {
            return error.faults.map { "\($0.place.line):\($0.place.column): \($0.message)" }
        }
    }
}

import Foundation
import Testing

@testable import SubmitRecipes

@Suite struct SchemaTests {
    /// With `SUBMIT_WRITE_SCHEMA=1` the file is written anew.
    @Test func `The JSON Schema that ships says what the parser takes`() throws {
        let schema = SchemaWriter.schema()
        if ProcessInfo.processInfo.environment["SUBMIT_WRITE_SCHEMA"] == "1" {
            let file = "\(#filePath)/../../../Sources/SubmitRecipes/Recipes/recipe.schema.json"
            try schema.write(toFile: (file as NSString).standardizingPath, atomically: true, encoding: .utf8)
        }
        #expect(Recipe.schema == schema, "write it anew: SUBMIT_WRITE_SCHEMA=1 with this test, and build again")
    }

    @Test func `The JSON Schema is JSON, and every reference in it leads somewhere`() throws {
        let text = SchemaWriter.schema()
        let root = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let definitions = try #require(root["definitions"] as? [String: Any])
        let references = text.matches(of: /"#\/definitions\/([^"]+)"/).map { String($0.output.1) }
        #expect(Set(references) == Set(definitions.keys))
    }
}

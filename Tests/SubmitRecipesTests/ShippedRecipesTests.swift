import Foundation
import Testing

@testable import SubmitRecipes

/// The recipes as they lie in the sources, so that one sees at once what a change to one of them does.
@Suite struct `The recipes that come with submit` {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/SubmitRecipes/Recipes").path

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(".yaml".count)) }.sorted()

    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name).yaml", encoding: .utf8)
    }

    @Test(arguments: names)
    func `have nothing wrong with them`(name: String) throws {
        let text = try Self.text(name)
        var faults = ""
        do throws(RecipeFaults) {
            _ = try Recipe(text: text, path: "\(name).yaml")
        } catch {
            faults = "\(error)"
        }
        #expect(faults == "")
    }

    @Test func `are all in the program`() throws {
        #expect(Recipe.shipped == Self.names)
        for name in Self.names { #expect(Recipe.shippedText(name) == (try Self.text(name))) }
    }

    @Test(arguments: names)
    func `are called as their files are, and say when and with what they were tried`(name: String) throws {
        let text = try Self.text(name)
        #expect(text.contains("\nservice: \(name)\n"))
        #expect(text.contains("\n  checked: 20") && text.contains("\n  tested: "))
    }
}

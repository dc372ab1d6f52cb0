import Testing

@testable import SubmitRecipes

@Suite struct BoundsTests {
    @Test func `A file that is too long, too deep, or full of aliases is refused before it costs anything`() {
        let long = "# " + String(repeating: "x", count: 300 << 10)
        #expect(DemoRecipe.faults(long) == ["1:1: The file has more than 256 KiB: no recipe is as long."])
        let deep = "title: " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(DemoRecipe.faults(deep) == ["1:39: Lists and mappings stand more than 32 deep in one another."])
        #expect(DemoRecipe.faults("a: " + String(repeating: "[", count: 100_000)).count == 1)
        #expect(DemoRecipe.faults(String(repeating: "- ", count: 100_000)).count == 1)
        var bomb = "a0: &a0 [x, x]\n"
        for n in 1...40 { bomb += "a\(n): &a\(n) [*a\(n - 1), *a\(n - 1)]\n" }
        #expect(DemoRecipe.faults(bomb + "? *a40\n: x\n").count == 1)
        for sneaky in [
            "? !!seq &a [x]\n: 1", "- [a,&b c]", "- {a: 1,&b c: 2}", "-\n  &a x", "\u{feff}&a x", "{\"a\":&b c}",
        ] {
            #expect(DemoRecipe.faults(sneaky).first?.contains("no anchors") == true, "\(sneaky)")
        }
    }

    @Test func `Empty files and other things are no recipes`() {
        #expect(DemoRecipe.faults("") == ["1:1: The file is empty: a recipe begins with “recipe: 1”."])
        #expect(DemoRecipe.faults("[1]") == ["1:1: “recipe” must be a recipe: lines of “key: value”, not a list."])
        #expect(DemoRecipe.faults("x\u{0}y").count == 1)
        #expect(DemoRecipe.faults("a: 1\n---\nb: 1").count == 1)
    }

    @Test func `No change of a recipe makes the reader crash`() throws {
        let shipped = Recipe.shipped.compactMap { Recipe.shippedText($0) }
        let words = [
            "{{", "}}", "[", "]", "{", "}", "&a", "*a", ": ", "- ", "\n", "\"", "'", "|", "??", "!", "%", "null", "~",
            "\u{0}",
            "é", "😀", "\t", "9999999999999999999", "-", "{{ file.name | ", "raw: range", "\\", "#", "<<", "? ", ">",
            ",",
        ]
        var generator = Seeded(state: 42)
        for text in [DemoRecipe.text] + shipped {
            let whole = Array(text.unicodeScalars)
            for _ in 0..<(text == DemoRecipe.text ? 400 : 30) {
                var scalars = whole
                for _ in 0...Int.random(in: 0..<3, using: &generator) {
                    let at = Int.random(in: 0..<scalars.count, using: &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0:
                        scalars.removeSubrange(at..<min(scalars.count, at + Int.random(in: 1..<30, using: &generator)))
                    case 1: scalars.insert(contentsOf: words.randomElement(using: &generator)!.unicodeScalars, at: at)
                    case 2:
                        let from = Int.random(in: 0..<scalars.count, using: &generator)
                        scalars.insert(contentsOf: scalars[from..<min(scalars.count, from + 40)], at: at)
                    default: scalars[at] = Unicode.Scalar(UInt8.random(in: 1..<128, using: &generator))
                    }
                    if scalars.isEmpty { scalars = whole }
                }
                var changed = String.UnicodeScalarView()
                changed.append(contentsOf: scalars)
                let lines = String(changed).split(separator: "\n", omittingEmptySubsequences: false).count
                do throws(RecipeFaults) {
                    _ = try Recipe(text: String(changed), path: "x")
                } catch {
                    #expect(!error.faults.isEmpty)
                    #expect(error.faults.allSatisfy { (1...lines + 1).contains($0.place.line) && $0.place.column > 0 })
                }
            }
        }
    }

    @Test(arguments: Recipe.shipped)
    func `A recipe that ships has no faults`(_ name: String) throws {
        let text = try #require(Recipe.shippedText(name))
        #expect(DemoRecipe.faults(text) == [])
        #expect(try Recipe(text: text, path: "\(name).yaml").service == name)
    }
}

/// The same numbers in every run (xorshift).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

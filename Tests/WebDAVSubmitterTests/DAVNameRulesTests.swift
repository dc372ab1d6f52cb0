import Testing

@testable import WebDAVSubmitter

@Suite struct `A name that a server takes` {
    @Test func `is its own where there are no rules`() {
        for name in ["a\\b:c.jpg", "trailing.", String(repeating: "n", count: 251) + ".jpg"] {
            #expect(DAVNameRules().fitted(name) == name)
        }
    }

    @Test func `has no character that is refused`() {
        #expect(DAVNameRules(refused: "\\").fitted("a\\b\nc:d.") == "a_b_c:d.")
        #expect(DAVNameRules(refused: ":<>", refusedLast: ". ").fitted("a\\b<c>:d. ") == "a\\b_c__d._")
    }

    @Test(arguments: ["n", "写", "👨‍👩‍👧"], [0, 7, 1234])
    func `is cut between two characters and keeps its extension`(_ character: String, _ number: Int) {
        let rules = DAVNameRules(longest: 143)
        let name = rules.fitted(String(repeating: character, count: 150) + ".jpg", number)
        let length = character.utf8.count
        #expect(name.utf8.count <= 143 && name.utf8.count > 143 - length - 1)
        let ending = number == 0 ? ".jpg" : "-\(number).jpg"
        #expect(name.hasSuffix(ending) && name.dropLast(ending.count).allSatisfy { String($0) == character })
    }

    @Test func `stays the same when it is asked for again`() {
        let rules = DAVNameRules(refused: ":", refusedLast: ".", longest: 143)
        let once = rules.fitted("a\\b:" + String(repeating: "x", count: 200) + ".")
        #expect(rules.fitted(once) == once)
    }
}

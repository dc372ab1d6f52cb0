import Submit
import Testing

@Suite struct `Signs are escaped` {
    /// What makes another character of a sign: an accent, a variation selector, a joiner behind it, and what joins before it.
    private static let joined = ["", "\u{301}", "\u{fe0f}", "\u{200d}", "\u{20dd}", "\u{e0061}"]
    private static let joining = ["", "\u{600}", "\u{70f}"]

    @Test(arguments: [
        [Unicode.Scalar: String].ofMarkup, .ofAttributes, .ofBackslashes, .ofDoubledQuotes,
    ])
    func `whatever is joined to them`(signs: [Unicode.Scalar: String]) {
        for (sign, other) in signs {
            for before in Self.joining {
                for behind in Self.joined {
                    let text = "a\(before)\(sign)\(behind)b"
                    #expect(
                        text.escaping(signs).unicodeScalars.elementsEqual("a\(before)\(other)\(behind)b".unicodeScalars)
                    )
                }
            }
        }
        #expect("plain ☃ e\u{301} 👩‍👩‍👧".escaping(signs).unicodeScalars.elementsEqual("plain ☃ e\u{301} 👩‍👩‍👧".unicodeScalars))
        #expect("".escaping(signs).isEmpty)
    }

    @Test func `once each, and nothing of what stands for them again`() {
        #expect("<b a=\"&\">'\\".escaping(.ofAttributes) == "&lt;b a=&quot;&amp;&quot;&gt;&#39;\\")
        #expect("\\\"".escaping(.ofBackslashes) == "\\\\\\\"")
        #expect("\"\"".escaping(.ofDoubledQuotes) == "\"\"\"\"")
    }
}

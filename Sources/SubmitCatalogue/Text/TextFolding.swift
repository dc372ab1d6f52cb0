internal import Foundation

/// The forms in which texts are compared. Every store and the evaluator ask here, so that they agree by construction.
package enum TextFolding {
    /// As it is kept: NFC, in which texts that look the same are the same.
    package static func composed(_ text: String) -> String {
        isASCII(text) ? text : text.precomposedStringWithCanonicalMapping
    }

    /// Without regard to case and to compatibility forms: NFKC and case fold. Accents stay: with them it is another word.
    package static func folded(_ text: String) -> String {
        if isASCII(text) { return text.lowercased() }
        // Upper and then lower case brings together what folds alike: `ß` and `SS`, `ς` and `σ`, `ſ` and `s`.
        return text.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
            .precomposedStringWithCompatibilityMapping
    }

    /// As words are looked for: folded, without accents and variation selectors; what is no character is a blank.
    package static func searchable(_ text: String) -> String {
        let folded = folded(text)
        let parts = isASCII(folded) ? folded : folded.decomposedStringWithCompatibilityMapping
        var scalars = String.UnicodeScalarView()
        for scalar in parts.unicodeScalars where !isMark(scalar) { scalars.append(isBlank(scalar) ? " " : scalar) }
        let text = String(scalars)
        return isASCII(text) ? text : text.precomposedStringWithCanonicalMapping
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// Accents of Latin, Greek and Cyrillic. Vowels of other scripts are letters though they are drawn as marks.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F: true
        default: false
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            || scalar.properties.isNoncharacterCodePoint
    }
}

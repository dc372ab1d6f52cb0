/// Texts put where some signs have a meaning.
///
/// By scalars: an accent behind a sign, or what joins before it, makes another character of the two, and whoever reads them goes by the
/// sign all the same.
extension StringProtocol {
    /// The text with something else in place of some of its signs.
    package func escaping(_ signs: [Unicode.Scalar: String]) -> String {
        unicodeScalars.reduce(into: "") { escaped, scalar in
            if let other = signs[scalar] {
                escaped += other
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

extension [Unicode.Scalar: String] {
    /// Between the tags of XML and HTML.
    package static let ofMarkup: Self = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
    /// There, and in attributes.
    package static let ofAttributes: Self = ofMarkup.merging(["\"": "&quot;", "'": "&#39;"]) { $1 }
    /// Within quotation marks, where a `\` takes the meaning from what follows it.
    package static let ofBackslashes: Self = ["\\": "\\\\", "\"": "\\\""]
    /// Within quotation marks, where two of them are one.
    package static let ofDoubledQuotes: Self = ["\"": "\"\""]
}

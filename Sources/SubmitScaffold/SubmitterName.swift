public import Submit

/// What a new submitter is called, in each place where it has a name.
public struct SubmitterName: Sendable, Hashable {
    /// The type's name: `imgur-pro`.
    public let type: String
    /// In Swift: `ImgurPro`.
    public let swift: String
    /// At the beginning of environment variables: `IMGUR_PRO`.
    public let environment: String

    /// - Parameter text: letters, digits and `-`, beginning with a letter: `Imgur`, `imgur-pro`.
    /// - Throws: a failure that says what a name may be.
    public init(_ text: String) throws(SubmitFailure) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isName =
            text.utf8.count <= 40 && text.first?.isLetter == true && parts.allSatisfy { !$0.isEmpty }
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || ("0"..."9").contains($0))
            }
        guard isName else {
            throw SubmitFailure(
                .giveUp, code: "usage",
                message:
                    "“\(text)” is no name for a submitter: use letters, digits and “-”, with a letter first; at most 40."
            )
        }
        type = text.lowercased()
        swift = parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        environment = text.uppercased().replacing("-", with: "_")
    }

    /// The text of a template, with this name in place of the one that templates have.
    func put(into template: String) -> String {
        template.replacing("Acme", with: swift).replacing("acme", with: type).replacing("ACME", with: environment)
    }
}

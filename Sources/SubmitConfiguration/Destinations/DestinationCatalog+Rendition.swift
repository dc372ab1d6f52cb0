public import Submit
public import SubmitEngine
internal import SubmitPictures
internal import SubmitPrograms

extension DestinationCatalog {
    /// `rendition` of a destination: what it is to get instead of originals; `nil` where the configuration says nothing.
    ///
    /// - Throws: `configuration`, to give up with, with file and line, for what is no rendition, and for one that writes a creator or
    ///   a copyright which nobody named.
    public func rendition(of name: String) throws(SubmitFailure) -> RenditionPolicy? {
        guard let value = file.destinations[name]?.general["rendition"] else { return nil }
        let policy = try located(value.line) { () throws(SubmitFailure) in try RenditionPolicy(value.text) }
        if let missing = credit.missing(of: policy.written)?.rawValue {
            throw file.complaint(
                value.line,
                "The \(missing) is to be written into photos, and nobody says who that is: write “\(missing): …” at the top level."
            )
        }
        return policy
    }

    /// `owner`: whose pictures are that are published; `nil` where the configuration says nothing.
    package var owner: String? { file.owner?.text }

    /// `creator` and `copyright`: who took the photos.
    var credit: PhotoCredit { PhotoCredit(creator: file.creator?.text, copyright: file.copyright?.text) }

    /// `visibility` of a destination: who sees what it gets; `nil` where the configuration says nothing, or the type has a
    /// setting of this name, by which its submitter knows.
    ///
    /// - Throws: `configuration`, to give up with, with file and line, for another word than `public` or `private`.
    func visibility(of name: String, _ type: SubmitterType) throws(SubmitFailure) -> Visibility? {
        guard let value = file.destinations[name]?.values[Self.visibility], type.lacksVisibility else { return nil }
        guard let visibility = Visibility(rawValue: value.text) else {
            throw file.complaint(value.line, "“\(value.text)” is no visibility: take public or private.")
        }
        return visibility
    }

    static let visibility = "visibility"

    /// One for all destinations of a process.
    static let pixels = MediaProgram()
    static let posters = FFmpegPoster()
}

extension SubmitterType {
    /// Has no setting that says who sees what is sent, so that it can be said of its destinations as of any.
    package var lacksVisibility: Bool { !settings.contains { $0.name == DestinationCatalog.visibility } }
}

public import Submit
public import SubmitPixels
public import SubmitRendition

/// A configured, named submitter: a folder, a bucket, an account.
public struct Destination: Sendable {
    /// What `--to` calls it.
    public let name: String
    /// What its submitter was made of.
    public let type: SubmitterType
    /// What puts items there, with the settings and secrets that it was made with.
    public let submitter: any Submitter

    /// Tells its type and its settings from others, except for the template: copies that exist keep their names when it
    /// changes. `nil` if the settings aren't known.
    let place: Int64?
    /// The same with the template, as earlier versions recorded it.
    let formerPlace: Int64?
    /// What holds it back.
    public var limits = DestinationLimits()
    /// What it is to get instead of originals; `nil`: what is usual where so many see it, by ``visibility``.
    public var rendition: RenditionPolicy?
    /// Who took what it gets, as a rendition is to say.
    public var credit = PhotoCredit()
    /// What makes new pixels for its renditions; `nil`: nothing does, and what needs them is refused.
    public var pixels: (any PixelRenderer)?
    /// What takes pictures out of films; `nil`: nothing does, and what needs them is refused.
    public var posters: (any PosterMaker)?
    /// Who sees what it gets: its submitter's word, unless somebody knows better.
    public var visibility: Visibility

    /// A destination, for ``SubmitManager/add(_:)``.
    ///
    /// - Parameters:
    ///   - name: what `--to` calls it.
    ///   - type: what its submitter was made of.
    ///   - submitter: made by `make(_:)` of the type.
    ///   - settings: what it was made with: with others, or where they are not given, what was sent before
    ///     counts for nothing when ``SubmitRequest/skipsUnchanged``.
    public init(
        name: String, type: SubmitterType, submitter: any Submitter, settings: DestinationSettings? = nil
    ) {
        let texts = settings?.place.split(separator: "\0", omittingEmptySubsequences: false) ?? []
        func number(_ texts: [Substring]) -> Int64? {
            settings.map { _ in Self.number(of: "\(type.name)\0\(texts.joined(separator: "\0"))") }
        }
        place = number(texts.filter { !$0.hasPrefix("template=") })
        formerPlace = number(texts)
        self.name = name
        self.type = type
        self.submitter = submitter
        visibility = submitter.capabilities.visibility
    }

    /// FNV-1a of 64 bits (RFC 9923): the same in every process.
    private static func number(of text: String) -> Int64 {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}

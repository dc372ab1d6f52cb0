public import Submit

/// Words of people that are written into a photo, beside what its camera wrote.
public struct PhotoWords: Sendable, Hashable {
    /// `dc:description`, and EXIF's ImageDescription.
    public var caption: String?
    /// `dc:subject`.
    public var tags: [String] = []
    /// `dc:creator`, and EXIF's Artist.
    public var creator: String?
    /// `dc:rights`, and EXIF's Copyright.
    public var copyright: String?

    /// None.
    public static let none = PhotoWords()

    init() {}

    /// Those of an item and of whoever took it that a policy has written into its photos.
    public init(of item: MediaItem, by credit: PhotoCredit, _ policy: RenditionPolicy) {
        let written = policy.written
        if written.contains(.caption) { caption = item.caption.flatMap(Self.plain) }
        if written.contains(.tags) { tags = item.tags.compactMap(Self.plain) }
        if written.contains(.creator) { creator = credit.creator.flatMap(Self.plain) }
        if written.contains(.copyright) { copyright = credit.copyright.flatMap(Self.plain) }
    }

    /// Nothing is written.
    public var isEmpty: Bool { self == .none }

    /// Bytes of all of them together.
    public var size: Int { all.reduce(0) { $0 + $1.utf8.count } }

    /// The most bytes that are written: whatever has to be escaped in it, it goes into one segment of a JPEG.
    public static let most = 8 << 10

    /// Each of them.
    var all: [String] { [caption, creator, copyright].compactMap(\.self) + tags }

    /// What XML can hold, and people can read; `nil` where nothing is left.
    private static func plain(_ text: String) -> String? {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n": Unicode.Scalar(0x20 as UInt8)
            // XML 1.0, section 2.2.
            case .surrogate,
                .unassigned where scalar.value & 0xfffe == 0xfffe:
                Unicode.Scalar(0x20 as UInt8)
            default: scalar
            }
        }
        let text = String(String.UnicodeScalarView(scalars))
        let start = text.firstIndex { !$0.isWhitespace }
        guard let start, let end = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(text[start...end])
    }
}

/// Who took what a destination gets, as it is to stand in it.
public struct PhotoCredit: Sendable, Hashable {
    /// The photographer.
    public var creator: String?
    /// As it is to be read: “© 2026 Jane Doe”.
    public var copyright: String?

    /// Both, or what is known of them.
    public init(creator: String? = nil, copyright: String? = nil) {
        (self.creator, self.copyright) = (creator, copyright)
    }

    /// What is to be written, and nobody says; `nil` for nothing.
    package func missing(of written: Set<WrittenFact>) -> WrittenFact? {
        if written.contains(.creator), creator == nil { return .creator }
        return written.contains(.copyright) && copyright == nil ? .copyright : nil
    }
}

/// What of the words about a photo is written into it.
public enum WrittenFact: String, Sendable, Hashable, CaseIterable {
    /// The item's caption.
    case caption
    /// The photographer's copyright.
    case copyright
    /// The photographer.
    case creator
    /// The item's tags.
    case tags
}

/// What `submit-media` is asked: one message of its socket, with the photo and the file for the result as descriptors.
public struct PixelJob: Sendable, Hashable {
    /// What the photo is, by its content.
    public var mime: String
    public var recipe: PixelRecipe
    /// What a PNG may become where it has more bytes than it may: it would have to lose pixels, by which pictures of text become
    /// unreadable, and these lose little. JPEG is not taken for one that may be transparent.
    public var instead: [PixelFormat]
    /// What comes out is no photo but a ``PixelMap``, for who shows it.
    public var isMap: Bool
    /// How a PNG is turned and mirrored, 1 to 8 (Exif 2.32, section 4.6.4): libvips doesn't read that. Other formats are turned by
    /// what they say.
    public var orientation = 1

    public init(mime: String, recipe: PixelRecipe, instead: [PixelFormat] = [], isMap: Bool = false) {
        self.mime = mime
        self.recipe = recipe
        self.instead = instead
        self.isMap = isMap
    }

    /// What photos may be.
    public static let mimes: Set<String> = [
        "image/jpeg", "image/png", "image/webp", "image/gif", "image/tiff", "image/heic", "image/heif", "image/avif",
    ]

    /// Bytes of the longest message.
    public static let longestMessage = 4096
    private static let map = "map"
    private static let turned = "turned"
    /// What a process exits with that could not begin, for a reason that passes: EX_TEMPFAIL of sysexits.h.
    public static let statusToTryAgain: Int32 = 75
    /// The most descriptors that come with one.
    public static let descriptors = 2
}

extension PixelJob: CustomStringConvertible {
    /// `image/heic box=2048x2048`
    public var description: String {
        let others = instead.isEmpty ? "" : "instead=\(instead.map(\.rawValue).joined(separator: ","))"
        let turned = orientation == 1 ? "" : "\(Self.turned)=\(orientation)"
        return [mime, recipe.description, others, isMap ? Self.map : "", turned].filter { !$0.isEmpty }.joined(
            separator: " ")
    }

    /// `nil` for what ``description`` never says.
    public init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let mime = words.first else { return nil }
        self.init(mime: mime, recipe: PixelRecipe())
        for word in words.dropFirst() {
            if word == Self.map {
                isMap = true
                continue
            }
            let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { return nil }
            if pair[0] == "instead" {
                let formats = pair[1].split(separator: ",").map { PixelFormat(rawValue: String($0)) }
                guard formats.allSatisfy({ $0 != nil }) else { return nil }
                instead = formats.compactMap(\.self)
            } else if pair[0] == Self.turned {
                guard let number = Int(pair[1]), (2...8).contains(number) else { return nil }
                orientation = number
            } else if recipe.set(pair[0], to: pair[1]) != nil {
                return nil
            }
        }
    }
}

/// What `submit-media` says: when it begins, whether it can work, and what came of each job.
public enum PixelAnswer: Sendable, Hashable {
    /// It can work: what it works with, such as `libvips 8.14.1`, and whether the kernel keeps it from anything else.
    case ready(String, isConfined: Bool)
    /// It cannot: why.
    case missing(String)
    case made(PixelResult)
    /// Nothing can be made of the photo, and why. It may be asked for another.
    case failed(PixelTrouble, String)
}

/// What was made of a photo.
public struct PixelResult: Sendable, Hashable {
    public var format: PixelFormat
    public var width: Int
    public var height: Int
    /// Bytes.
    public var size: Int64
    public var quality: Int

    public init(format: PixelFormat, width: Int, height: Int, size: Int64, quality: Int) {
        self.format = format
        self.width = width
        self.height = height
        self.size = size
        self.quality = quality
    }
}

/// Why nothing was made of a photo.
public enum PixelTrouble: String, Sendable, CaseIterable {
    /// It is not whole, or not what it is said to be.
    case damaged
    /// It has more pixels than are decoded.
    case huge
    /// More memory is needed to decode it than may be used.
    case memory
    /// It could not be read to its end: its disk failed, or it became shorter.
    case unreadable
    /// It has several pictures, of which none may be dropped without a word.
    case animated
    /// It does not become small enough without becoming bad.
    case unfit
    /// This libvips cannot read or write the format.
    case unsupported
    /// The result could not be written: no room.
    case unwritable
}

extension PixelAnswer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ready(let engine, let isConfined): "ready \(isConfined ? "confined" : "free") \(engine)"
        case .missing(let why): "missing \(why)"
        case .made(let made):
            "made \(made.format.rawValue) \(made.width) \(made.height) \(made.size) \(made.quality)"
        case .failed(let trouble, let why): "failed \(trouble.rawValue) \(why)"
        }
    }

    /// `nil` for what ``description`` never says.
    public init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "ready":
            let parts = words[1].split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2, ["confined", "free"].contains(parts[0]) else { return nil }
            self = .ready(parts[1], isConfined: parts[0] == "confined")
        case "missing": self = .missing(words[1])
        case "made":
            let values = words[1].split(separator: " ").map(String.init)
            guard values.count == 5, let format = PixelFormat(rawValue: values[0]), let width = Int(values[1]),
                let height = Int(values[2]), let size = Int64(values[3]), let quality = Int(values[4]),
                PixelBox(width: width, height: height) != nil, size > 0
            else { return nil }
            self = .made(PixelResult(format: format, width: width, height: height, size: size, quality: quality))
        case "failed":
            let parts = words[1].split(separator: " ", maxSplits: 1).map(String.init)
            guard let trouble = parts.first.flatMap(PixelTrouble.init(rawValue:)) else { return nil }
            self = .failed(trouble, parts.count == 2 ? parts[1] : "")
        default: return nil
        }
    }
}

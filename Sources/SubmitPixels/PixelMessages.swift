/// What `submit-media` is asked: one message of its socket, with the photo and the file for the result as descriptors.
public struct PixelJob: Sendable, Hashable {
    /// What the photo is, by its content.
    public var mime: String
    public var recipe: PixelRecipe

    public init(mime: String, recipe: PixelRecipe) {
        self.mime = mime
        self.recipe = recipe
    }

    /// What photos may be.
    public static let mimes: Set<String> = [
        "image/jpeg", "image/png", "image/webp", "image/gif", "image/tiff", "image/heic", "image/heif", "image/avif",
    ]

    /// Bytes of the longest message.
    public static let longestMessage = 4096
    /// The most descriptors that come with one.
    public static let descriptors = 2
}

extension PixelJob: CustomStringConvertible {
    /// `image/heic box=2048x2048`
    public var description: String { recipe.description.isEmpty ? mime : "\(mime) \(recipe)" }

    /// `nil` for what ``description`` never says.
    public init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let mime = words.first else { return nil }
        self.init(mime: mime, recipe: PixelRecipe())
        for word in words.dropFirst() {
            let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, recipe.set(pair[0], to: pair[1]) == nil else { return nil }
        }
    }
}

/// What `submit-media` says: when it begins, whether it can work, and what came of each job.
public enum PixelAnswer: Sendable, Hashable {
    /// It can work: what it works with, such as `libvips 8.14.1`.
    case ready(String)
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
        case .ready(let engine): "ready \(engine)"
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
        case "ready": self = .ready(words[1])
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

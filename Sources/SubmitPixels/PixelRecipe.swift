/// What is done with the pixels of a photo. A photo is never made larger than it is.
public struct PixelRecipe: Sendable, Hashable {
    /// The picture, upright, is to fit into so many pixels; `nil`: it keeps its size.
    public var box: PixelBox?
    /// It is cut to the square in its middle.
    public var isSquare = false
    /// `nil`: JPEG, PNG and WebP stay what they are, others become JPEG, or PNG where they have no more than GIF had.
    public var format: PixelFormat?
    /// How much a format that loses something keeps, from 1 to 100; `nil`: 85, and 60 for AVIF.
    public var quality: Int?
    /// The most bytes that may come out: quality goes down to ``lowestQuality`` for it, and then the size.
    public var maximumSize: Int64?
    /// The most pixels, its width times its height.
    public var maximumPixels: Int?
    /// Its brightness is stretched: see ``stretch(dark:bright:)``.
    public var isEnhanced = false

    /// Nothing.
    public init() {}

    /// Whether a photo of this type is what it was, where it has no more bytes and pixels than it may.
    public func leaves(_ mime: String) -> Bool {
        !isSquare && !isEnhanced && (quality == nil || mime == PixelFormat.png.mime)
            && (format.map { $0.mime == mime } ?? true)
    }

    /// Below that no quality is taken to save bytes.
    public static let lowestQuality = 60
    /// Below so many pixels of its longer side no picture is made smaller to save bytes.
    public static let shortestSide = 320
    /// The most pixels of a photo that is decoded: a panorama passes.
    public static let mostPixels = 200_000_000

    /// By what a picture's brightness is stretched: colours become `factor * colour + offset`, of 255.
    ///
    /// The darkest and the brightest half percent of its pixels become black and white, but nothing is stretched by more than
    /// half. `nil` where there is nothing to be gained, or almost nothing in the picture.
    ///
    /// - Parameters:
    ///   - dark: half a percent of the pixels are no brighter.
    ///   - bright: half a percent of them are no darker.
    public static func stretch(dark: Int, bright: Int) -> (factor: Double, offset: Double)? {
        guard dark >= 0, bright - dark >= 32, dark > 0 || bright < 255 else { return nil }
        let factor = min(1.5, 255 / Double(bright - dark))
        return (factor, -factor * Double(dark))
    }
}

/// A width and a height in pixels.
public struct PixelBox: Sendable, Hashable {
    public let width: Int
    public let height: Int

    /// `nil` unless each is from 1 to 65535.
    public init?(width: Int, height: Int) {
        guard (1...65535).contains(width), (1...65535).contains(height) else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// Reads `2048x1365`.
    public init?(_ text: some StringProtocol) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
        self.init(width: width, height: height)
    }
}

extension PixelBox: CustomStringConvertible {
    public var description: String { "\(width)x\(height)" }
}

/// What pixels are encoded as.
public enum PixelFormat: String, Sendable, CaseIterable {
    case jpeg, webp, png, avif

    /// For people.
    public var name: String { self == .webp ? "WebP" : rawValue.uppercased() }
    /// Its media type.
    public var mime: String { "image/\(rawValue)" }
    /// What its files end in.
    public var filenameExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// What a photo of this type becomes where nothing is said.
    public static func usual(for mime: String) -> PixelFormat {
        switch mime {
        case "image/png", "image/gif": .png
        case "image/webp": .webp
        default: .jpeg
        }
    }

    /// The quality where none is said.
    public var usualQuality: Int { self == .avif ? 60 : 85 }
}

public import Submit
public import SubmitPixels

/// What a destination is to get of a photo: the original bit for bit, or a rendition.
public struct RenditionPolicy: Sendable, Hashable {
    /// What stays of the metadata when all else goes; `nil`: nothing is said of it.
    public var kept: Set<KeptFact>?
    /// What is done with the pixels.
    public var pixels: PixelRecipe
    /// What is sent of videos.
    public var video: VideoPolicy
    /// What is written into photos of the words about them.
    public var written: Set<WrittenFact> = []

    /// What is sent of a video where photos are renditions.
    public enum VideoPolicy: String, Sendable, CaseIterable {
        /// What is sent of a photo: without what the policy strips.
        case original
        /// A picture of its beginning, as photos are sent.
        case poster
        /// Nothing: the destination takes no videos.
        case skip
    }

    /// The original, bit for bit.
    public static let original = RenditionPolicy(kept: nil)
    /// Nothing tells the place, nor anything that might: of the metadata ``KeptFact/publishable`` stays.
    public static let withoutPlace = RenditionPolicy(kept: KeptFact.publishable)
    /// Nothing stays but what the picture needs to be seen as it is.
    public static let withoutMetadata = RenditionPolicy(kept: [])

    /// A policy that keeps these; `nil` for all that is there, which is the original where nothing is done with the pixels.
    public init(kept: Set<KeptFact>?, pixels: PixelRecipe = PixelRecipe(), video: VideoPolicy = .original) {
        self.kept = kept
        self.pixels = pixels
        self.video = video
    }

    /// What is sent where nothing is said.
    public static func usual(at visibility: Visibility) -> RenditionPolicy {
        switch visibility {
        case .private: .original
        case .public: .withoutPlace
        }
    }

    /// The original is sent of every photo and video.
    public var isOriginal: Bool { self == .original }

    /// Nothing is sent of the item.
    public func skips(_ item: MediaItem) -> Bool { video == .skip && item.type.kind == .video }

    /// What stays in a rendition: of one that nothing is stripped from all that is written anew.
    public var facts: Set<KeptFact> { kept ?? Set(KeptFact.allCases) }
}

extension RenditionPolicy {
    /// What makes renditions, with its version: another one may make other bytes of the same original.
    public static let engine = "submit 1"
}

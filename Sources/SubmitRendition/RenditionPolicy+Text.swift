public import Submit
internal import SubmitPixels

extension RenditionPolicy {
    /// The words of ``init(_:)``, which nobody has to remember.
    static let words = (["keep", "original", "strip", "video", "write"] + PixelRecipe.names).sorted()

    /// Reads `original`, or any of `strip=gps`, `strip=all`, `keep=date,camera` (where something else is to stay than what each
    /// of these keeps), `box=2048x2048`, `square=centre`, `format=jpeg`, `quality=80`, `max_bytes=2MB`, `max_pixels=16000000`, `enhance=auto`,
    /// `video=poster`, `write=caption,tags`.
    ///
    /// - Throws: `rendition`, to give up with, for any other text: a sentence that says what there is.
    public init(_ text: String) throws(SubmitFailure) {
        var values: [String: String] = [:]
        for part in text.lowercased().split(separator: " ") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard Self.words.contains(pair[0]), (pair[0] == "original") == (pair.count == 1) else {
                let hint = Self.words.contains(pair[0]) ? "" : NearestNames.hint(for: pair[0], among: Self.words)
                throw Self.fault("“\(part)” is no part of a rendition\(hint)")
            }
            guard values.updateValue(pair.last ?? "", forKey: pair[0]) == nil else {
                throw Self.fault("“\(pair[0])” is said twice")
            }
        }
        if values.removeValue(forKey: "original") != nil {
            guard values.isEmpty else { throw Self.fault("“\(text)”: the original keeps all") }
            self = .original
            return
        }
        guard !values.isEmpty else { throw Self.fault("A rendition is empty") }
        self.init(kept: try Self.kept(strip: values["strip"], keep: values["keep"]))
        if let word = values["video"] {
            guard let policy = VideoPolicy(rawValue: word) else {
                throw Self.fault(
                    "“\(word)” is nothing that can be sent of a video: take poster or skip", isForm: false)
            }
            video = policy
        }
        for word in values["write"]?.split(separator: ",") ?? [] {
            guard let fact = WrittenFact(rawValue: String(word)) else {
                let facts = WrittenFact.allCases.map(\.rawValue)
                throw Self.fault(
                    "“\(word)” is nothing that can be written\(NearestNames.hint(for: String(word), among: facts)) "
                        + "(there are \(facts.joined(separator: ", ")))")
            }
            written.insert(fact)
        }
        for name in PixelRecipe.names {
            guard var value = values[name] else { continue }
            if name == "max_bytes" { value = SizeText.bytes(of: value).map { "\($0)" } ?? value }
            if let wanted = pixels.set(name, to: value) {
                throw Self.fault("“\(value)” is no \(name) that there is: take \(wanted)", isForm: false)
            }
        }
        if self == .original { throw Self.fault("“\(text)” changes nothing") }
    }

    private static func kept(strip: String?, keep: String?) throws(SubmitFailure) -> Set<KeptFact>? {
        guard let strip else {
            if keep != nil { throw fault("“keep” says what stays where “strip” takes the rest") }
            return nil
        }
        guard ["gps", "all"].contains(strip) else { throw fault("“\(strip)” is nothing that can be stripped") }
        guard let keep else { return strip == "gps" ? KeptFact.publishable : [] }
        var kept: Set<KeptFact> = []
        for name in keep.split(separator: ",") {
            guard let fact = KeptFact(rawValue: String(name)) else {
                let facts = KeptFact.allCases.map(\.rawValue)
                throw fault(
                    "“\(name)” is nothing that can be kept\(NearestNames.hint(for: String(name), among: facts)) "
                        + "(there are \(facts.joined(separator: ", ")))")
            }
            kept.insert(fact)
        }
        return kept
    }

    /// - Parameter isForm: it is about how renditions are written, and not about one of their values.
    private static func fault(_ what: String, isForm: Bool = true) -> SubmitFailure {
        if !isForm { return SubmitFailure(.giveUp, code: "rendition", message: "\(what).") }
        return SubmitFailure(
            .giveUp, code: "rendition",
            message:
                "\(what): write “original”, “strip=gps” or “strip=all”, “keep=date,camera” where these are to stay, and what "
                + "is done with the pixels, such as “box=2048x2048”."
        )
    }
}

extension RenditionPolicy: CustomStringConvertible {
    /// The same text for the same policy, as ``init(_:)`` reads it.
    public var description: String {
        var words: [String] = []
        switch kept {
        case nil: break
        case []?: words.append("strip=all")
        case KeptFact.publishable?: words.append("strip=gps")
        case let kept?: words.append("strip=all keep=\(kept.map(\.rawValue).sorted().joined(separator: ","))")
        }
        if !pixels.description.isEmpty { words.append(pixels.description) }
        if video != .original { words.append("video=\(video.rawValue)") }
        if !written.isEmpty { words.append("write=\(written.map(\.rawValue).sorted().joined(separator: ","))") }
        return words.isEmpty ? "original" : words.joined(separator: " ")
    }

    /// For people: “place removed, to fit 2048x2048”.
    public var words: String { words(of: nil) }

    /// The same of what is sent of one kind of items; `nil`: of all kinds.
    public func words(of kind: MediaKind?) -> String {
        if isOriginal { return "the original" }
        var words: [String] = []
        switch kept {
        case nil: break
        case []?: words.append("all metadata removed")
        case KeptFact.publishable?: words.append("place removed")
        case let kept?:
            words.append("all metadata removed but \(kept.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        if kind != .video || video == .poster { words += pictureWords }
        switch video {
        case .original: break
        case .poster: if kind != .photo { words.append(kind == nil ? "a picture of videos" : "a picture of it") }
        case .skip: if kind != .photo { words.append("no videos") }
        }
        return words.isEmpty ? "as it is" : words.joined(separator: ", ")
    }

    private var pictureWords: [String] {
        var words: [String] = []
        if let box = pixels.box { words.append("to fit \(box)") }
        if pixels.isSquare { words.append("cut to a square") }
        if let format = pixels.format { words.append("as \(format.name)") }
        if let quality = pixels.quality { words.append("quality \(quality)") }
        if let most = pixels.maximumSize { words.append("at most \(most) bytes") }
        if let most = pixels.maximumPixels { words.append("at most \(most) pixels") }
        if pixels.isEnhanced { words.append("enhanced") }
        if !written.isEmpty { words.append("with \(written.map(\.rawValue).sorted().joined(separator: ", "))") }
        return words
    }
}

extension RenditionPolicy: Codable {
    /// - Throws: `DecodingError` for a text that is no policy.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

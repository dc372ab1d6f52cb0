public import Submit

/// What a destination is to get of a photo: the original bit for bit, or a rendition without some of its metadata.
public struct RenditionPolicy: Sendable, Hashable {
    /// What stays of the metadata when all else goes; `nil`: the original is sent.
    public var kept: Set<KeptFact>?

    /// The original, bit for bit.
    public static let original = RenditionPolicy(kept: nil)
    /// Nothing tells the place, nor anything that might: of the metadata all of ``KeptFact`` stays.
    public static let withoutPlace = RenditionPolicy(kept: Set(KeptFact.allCases))
    /// Nothing stays but what the picture needs to be seen as it is.
    public static let withoutMetadata = RenditionPolicy(kept: [])

    /// A policy that keeps these; `nil` for the original.
    public init(kept: Set<KeptFact>?) {
        self.kept = kept
    }

    /// What is sent where nothing is said.
    public static func usual(at visibility: Visibility) -> RenditionPolicy {
        switch visibility {
        case .private: .original
        case .public: .withoutPlace
        }
    }

    /// The original is sent.
    public var isOriginal: Bool { kept == nil }

    /// The words of ``init(_:)``, which nobody has to remember: `original`, `strip=…`, `keep=…`.
    static let words = ["keep", "original", "strip"]

    /// Reads `original`, or `strip=gps` or `strip=all` with `keep=date,camera` where something else is to stay than what each of
    /// them keeps: `gps` all of ``KeptFact``, `all` nothing.
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
        if values["original"] != nil {
            guard values.count == 1 else { throw Self.fault("“\(text)”: the original keeps all") }
            self = .original
            return
        }
        guard let strip = values["strip"] else {
            throw Self.fault(text.isEmpty ? "A rendition is empty" : "“\(text)” says not what is stripped")
        }
        guard ["gps", "all"].contains(strip) else { throw Self.fault("“\(strip)” is nothing that can be stripped") }
        self = strip == "gps" ? .withoutPlace : .withoutMetadata
        guard let names = values["keep"] else { return }
        kept = []
        for name in names.split(separator: ",") {
            guard let fact = KeptFact(rawValue: String(name)) else {
                let facts = KeptFact.allCases.map(\.rawValue)
                throw Self.fault(
                    "“\(name)” is nothing that can be kept\(NearestNames.hint(for: String(name), among: facts)) "
                        + "(there are \(facts.joined(separator: ", ")))")
            }
            kept?.insert(fact)
        }
    }

    private static func fault(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "rendition",
            message:
                "\(what): write “original”, “strip=gps” or “strip=all”, and “keep=date,camera” where these are to stay."
        )
    }
}

extension RenditionPolicy: CustomStringConvertible {
    /// The same text for the same policy, as ``init(_:)`` reads it.
    public var description: String {
        switch kept {
        case nil: "original"
        case []?: "strip=all"
        case Set(KeptFact.allCases)?: "strip=gps"
        case let kept?: "strip=all keep=\(kept.map(\.rawValue).sorted().joined(separator: ","))"
        }
    }

    /// For people: “place removed”.
    public var words: String {
        switch kept {
        case nil: "the original"
        case []?: "all metadata removed"
        case Set(KeptFact.allCases)?: "place removed"
        case let kept?: "all metadata removed but \(kept.map(\.rawValue).sorted().joined(separator: ", "))"
        }
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

extension RenditionPolicy {
    /// What makes renditions, with its version: another one may make other bytes of the same original.
    public static let engine = "submit 1"
}

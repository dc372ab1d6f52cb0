internal import Foundation
public import Submit
internal import SubmitCatalogue
public import SubmitRendition
public import SubmitStore
public import SystemPackage

/// What a user asks for: these files, to these destinations, with these words.
///
/// The ``options`` can be read and changed directly, as `request.album`.
@dynamicMemberLookup
public struct SubmitRequest: Sendable, Codable {
    /// Files and folders, absolute.
    public var paths: [FilePath]
    /// Single files, and bytes that are none, each with what is said of it alone. They come before ``paths``.
    public var items: [SubmitItem]
    /// Names of destinations. Each counts once.
    public var destinations: [String]
    /// The options of every submission.
    public var options: SubmissionOptions
    /// The words to publish beside each item that brings none of its own; `nil`: none.
    public var caption: String?
    /// Keywords of each item that brings none of its own, in this order.
    public var tags: [String]
    /// Files that are neither photo nor video are taken too.
    public var takesAnyFile: Bool
    /// What of the folders of ``paths`` is walked besides.
    public var reach: FileWalk.Reach
    /// Which of the files that ``paths`` mean are taken.
    public var filter = SourceFilter()
    /// In which order the files that ``paths`` mean are accepted.
    public var order = SourceOrder.name
    /// Files of ``paths`` that were accepted before, with the same words and into the same album, are not sent again where
    /// they are done, proven as is asked for, or waiting. They are not read where path, size, times, inode and device are
    /// those that were accepted.
    ///
    /// Where sources are to be removed it has no effect: all copies are looked at then.
    public var skipsUnchanged: Bool
    /// Files that were accepted before are known again by their marks, and not read. Where it is false they are known by
    /// their bytes alone: there are file systems that tell of no change whose time was set back, such as exFAT.
    public var trustsMarks = true
    /// Which goes first of what waits: all of the batch.
    public var priority = SendingPriority.normal
    /// What each destination is to get instead of the original; `nil`: what each of them says; see
    /// ``Destination/rendition(asked:)``.
    public var rendition: RenditionPolicy?
    /// When the sources are to be removed; `nil`: never.
    public var removal: SourceRemoval?

    /// A request. Nothing is looked at yet: ``validate()``, ``SubmitManager/check(_:)`` and the acceptance do that.
    public init(
        paths: [FilePath] = [], items: [SubmitItem] = [], destinations: [String], album: String? = nil,
        caption: String? = nil, tags: [String] = [],
        onConflict: ConflictPolicy = .rename, verification: Verification = .usual, takesAnyFile: Bool = false,
        reach: FileWalk.Reach = FileWalk.Reach(), skipsUnchanged: Bool = false,
        removal: SourceRemoval? = nil
    ) {
        self.paths = paths
        self.items = items
        self.destinations = destinations
        self.options = SubmissionOptions(album: album, onConflict: onConflict, verification: verification)
        self.caption = caption
        self.tags = tags
        self.takesAnyFile = takesAnyFile
        self.reach = reach
        self.skipsUnchanged = skipsUnchanged
        self.removal = removal
    }

    /// One of the ``options``.
    public subscript<Value>(dynamicMember option: WritableKeyPath<SubmissionOptions, Value>) -> Value {
        get { options[keyPath: option] }
        set { options[keyPath: option] = newValue }
    }

    private enum CodingKeys: CodingKey {
        case paths, items, destinations, caption, tags, takesAnyFile, removal
        case reach, filter, order, priority, skipsUnchanged, trustsMarks, rendition
    }

    /// Writes all but the items whose bytes are no file.
    ///
    /// - Throws: `EncodingError`, or what the encoder throws, where that cannot write a value: take another encoder.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(paths, forKey: .paths)
        let kept = items.compactMap(KeptItem.init)
        if !kept.isEmpty { try values.encode(kept, forKey: .items) }
        try values.encode(destinations, forKey: .destinations)
        try values.encodeIfPresent(caption, forKey: .caption)
        try values.encode(tags, forKey: .tags)
        try values.encode(takesAnyFile, forKey: .takesAnyFile)
        try values.encode(reach, forKey: .reach)
        if !filter.isEmpty { try values.encode(filter, forKey: .filter) }
        if order != .name { try values.encode(order, forKey: .order) }
        if priority != .normal { try values.encode(priority, forKey: .priority) }
        try values.encode(skipsUnchanged, forKey: .skipsUnchanged)
        try values.encode(trustsMarks, forKey: .trustsMarks)
        try values.encodeIfPresent(removal, forKey: .removal)
        try values.encodeIfPresent(rendition, forKey: .rendition)
        // Beside the others.
        try options.encode(to: encoder)
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            paths: try values.decode([FilePath].self, forKey: .paths),
            items: try values.decodeIfPresent([KeptItem].self, forKey: .items)?.map(\.item) ?? [],
            destinations: try values.decode([String].self, forKey: .destinations),
            caption: try values.decodeIfPresent(String.self, forKey: .caption),
            tags: try values.decode([String].self, forKey: .tags),
            takesAnyFile: try values.decode(Bool.self, forKey: .takesAnyFile),
            reach: try values.decodeIfPresent(FileWalk.Reach.self, forKey: .reach) ?? FileWalk.Reach(),
            skipsUnchanged: try values.decodeIfPresent(Bool.self, forKey: .skipsUnchanged) ?? false,
            removal: try values.decodeIfPresent(SourceRemoval.self, forKey: .removal))
        options = try SubmissionOptions(from: decoder)
        filter = try values.decodeIfPresent(SourceFilter.self, forKey: .filter) ?? SourceFilter()
        order = try values.decodeIfPresent(SourceOrder.self, forKey: .order) ?? .name
        priority = try values.decodeIfPresent(SendingPriority.self, forKey: .priority) ?? .normal
        trustsMarks = try values.decodeIfPresent(Bool.self, forKey: .trustsMarks) ?? true
        rendition = try values.decodeIfPresent(RenditionPolicy.self, forKey: .rendition)
    }

    /// Looks whether it makes sense by itself, whatever the destinations are.
    ///
    /// - Throws: to give up with: `no-destination` when it names none, `album` when that is not a plain relative path, `twice`
    ///   when two of its items are one file or have one key.
    public func validate() throws(SubmitFailure) {
        if destinations.isEmpty {
            throw SubmitFailure(
                .giveUp, code: "no-destination",
                message: "No destination is named for what is to be submitted: name one or more.")
        }
        if let album = options.album, PathNames.plain(album) == nil {
            throw SubmitFailure(
                .giveUp, code: "album",
                message:
                    "The album “\(album)” is not a name or names with “/” between them: leave out empty parts, “.” and “..”."
            )
        }
        var files: Set<FilePath> = []
        var keys: Set<String> = []
        for item in items {
            if let file = item.file, !files.insert(file).inserted {
                throw SubmitFailure(
                    .giveUp, code: "twice", message: "“\(file)” is two items of one request: make two requests of it.")
            }
            if let key = item.idempotencyKey, !keys.insert(key).inserted {
                throw SubmitFailure(
                    .giveUp, code: "twice",
                    message: "Two items of one request have the idempotency key “\(key)”: give each its own.")
            }
        }
    }
}

extension SubmitRequest {
    /// What is asked for now has words as the catalogue keeps them. What was accepted in part is not held to that any more.
    func checkWords() throws(SubmitFailure) {
        for (caption, tags) in [(caption, tags)] + items.map({ ($0.caption, $0.tags ?? []) }) {
            var words = PictureChange()
            if let caption { words.caption = .replaced(caption) }
            words.tags.added = tags
            do throws(CatalogueFault) {
                try words.check()
            } catch {
                throw SubmitFailure(.giveUp, code: "words", message: error.description)
            }
        }
    }

    /// As the journal keeps it.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// - Returns: `nil` where it was written by another version, in words this one does not know.
    init?(text: String) {
        guard let request = try? JSONDecoder().decode(SubmitRequest.self, from: Data(text.utf8)) else { return nil }
        self = request
    }
}

/// What came of an acceptance.
public struct Acceptance: Sendable {
    /// A path that was not accepted, and why.
    public struct Refusal: Sendable {
        /// Of bytes that are no file, their name.
        public let path: FilePath
        /// Why, to give up with: its sentence says what to do, and its code stays the same in later versions.
        public let failure: SubmitFailure
    }

    /// What it became a part of.
    public let batch: BatchID
    /// Items accepted.
    public internal(set) var accepted = 0
    /// Items whose idempotency key was known, so that nothing more is waiting of them.
    public internal(set) var known: [KnownItem] = []
    /// In the order in which they were found.
    public internal(set) var refusals: [Refusal] = []
    /// What lay below named folders and was not taken.
    public internal(set) var leftBehind = LeftBehindTally()
    /// Files that were left behind because a program is still writing them, in the order in which they were found.
    public internal(set) var unfinished: [FilePath] = []
    /// Accepted items whose end is missing.
    public internal(set) var incomplete = IncompleteTally()
    /// What is not sent again, as it was accepted before and is unchanged.
    public internal(set) var unchanged = UnchangedTally()
    /// Photos and videos accepted for a destination that uses the capture date, though they have none: the time of their
    /// file counts instead.
    public internal(set) var datedByFileTime = 0
    /// Bytes of the items accepted.
    public internal(set) var bytes: Int64 = 0

    init(batch: BatchID) {
        self.batch = batch
    }

    static func + (one: Acceptance, more: Acceptance) -> Acceptance {
        var sum = one
        sum.accepted += more.accepted
        sum.known += more.known
        sum.refusals += more.refusals
        sum.leftBehind = sum.leftBehind + more.leftBehind
        sum.unfinished += more.unfinished
        sum.incomplete = sum.incomplete + more.incomplete
        sum.unchanged = sum.unchanged + more.unchanged
        sum.datedByFileTime += more.datedByFileTime
        sum.bytes += more.bytes
        return sum
    }
}

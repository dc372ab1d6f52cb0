public import Submit
public import SystemPackage

/// One photo or video of a request, with what is said of it alone.
public struct SubmitItem: Sendable {
    /// Where its bytes come from.
    public enum Source: Sendable {
        /// A file, by its absolute path. It is read again whenever it is sent, as the files of ``SubmitRequest/paths`` are.
        case file(FilePath)
        /// Bytes that are no file that stays, such as an upload that a server receives. All of them are copied beside the
        /// journal before they count as accepted, so that this value is needed no longer than the acceptance takes. The copy
        /// goes when all that was waiting of it has arrived or is cancelled; where something of it failed it stays for whoever
        /// tries again, until ``SubmitManager/discardCopies(of:)``.
        ///
        /// Reading them may wait: it holds a thread of its own. What is in memory comes as `MemoryBytes`, all else by
        /// the caller's own `MediaBytes`.
        case bytes(any MediaBytes)
    }

    /// Where its bytes come from.
    public var source: Source
    /// What it is to be called, instead of by its file's name. Bytes have to have one.
    public var name: String?
    /// The words to publish beside it; `nil`: those of the request.
    public var caption: String?
    /// Keywords; `nil`: those of the request.
    public var tags: [String]?
    /// A text of the caller's by which the journal accepts the item once, however often it comes: what comes again is told
    /// in ``Acceptance/known``, and its bytes are not looked at. `nil`: as often as it comes.
    public var idempotencyKey: String?
    /// Digests that whoever wrote the file computed of all its bytes on the way. It is not read for those.
    package var digests = Digests()
    /// How many these are.
    package var size: Int64?

    /// - Parameters: see the properties. A name that is none, or a source that cannot be read, is refused by the acceptance.
    public init(
        source: Source, name: String? = nil, caption: String? = nil, tags: [String]? = nil,
        idempotencyKey: String? = nil
    ) {
        self.source = source
        self.name = name
        self.caption = caption
        self.tags = tags
        self.idempotencyKey = idempotencyKey
    }

    /// Its file; `nil` for bytes.
    var file: FilePath? { if case .file(let path) = source { path } else { nil } }

    /// What people know it by.
    var label: FilePath { file ?? FilePath(name ?? "") }

    /// Why it cannot be called so; `nil` where it can.
    var nameRefusal: SubmitFailure? {
        guard let name else {
            return file == nil
                ? SubmitFailure(.giveUp, code: "name", message: "Bytes without a name cannot be submitted: give one.")
                : nil
        }
        if PathNames.plain(name)?.count == 1 { return nil }
        return SubmitFailure(
            .giveUp, code: "name",
            message:
                "“\(name)” is no name that an item can have: give one without “/” and NUL that is not empty, “.” or “..”."
        )
    }
}

/// An item as the journal keeps it: its bytes are a file.
struct KeptItem: Codable {
    let file: FilePath
    /// The file's name as text, by which whoever tidies the spool sees that it is asked for.
    private var copy: String?
    var name: String?
    var caption: String?
    var tags: [String]?
    var idempotencyKey: String?

    /// `nil` for bytes.
    init?(_ item: SubmitItem) {
        guard let file = item.file else { return nil }
        self.file = file
        copy = file.lastComponent?.string
        name = item.name
        caption = item.caption
        tags = item.tags
        idempotencyKey = item.idempotencyKey
    }

    var item: SubmitItem {
        SubmitItem(source: .file(file), name: name, caption: caption, tags: tags, idempotencyKey: idempotencyKey)
    }
}

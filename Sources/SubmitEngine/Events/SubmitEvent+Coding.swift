internal import Submit
internal import SubmitStore
internal import SystemPackage

extension SubmitEvent: Codable {
    /// Writes one object with the key `event`: see <doc:Events>.
    ///
    /// - Throws: `EncodingError`, or what the encoder throws, where that cannot write a value: take another encoder.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: EventKey.self)
        try fields.encode(name, forKey: .event)
        try fields.encodeIfPresent(batch, forKey: .batch)
        switch self {
        case .accepted(let item, _, let submissions):
            try fields.encode(CodedItem(item), forKey: .item)
            try fields.encode(submissions.map(CodedSubmission.init), forKey: .submissions)
        case .refused(let path, _, let failure):
            try fields.encode(path, .path, .pathBytes)
            try fields.encode(failure)
        case .leftBehind(let left, _):
            try fields.encode(left.path, .path, .pathBytes)
            try fields.encode(left.folder, .folder, .folderBytes)
            try fields.encode(left.reason, forKey: .reason)
        case .batchComplete(_, let items): try fields.encode(items, forKey: .items)
        case .started(let note), .cancelled(let note): try fields.encode(note)
        case .done(let note, let receipt):
            try fields.encode(note)
            try fields.encode(receipt)
        case .failed(let note, let failure):
            try fields.encode(note)
            try fields.encode(failure)
        case .waiting(let note, let failure, let until):
            try fields.encode(note)
            try fields.encode(failure)
            try fields.encodeIfPresent(until?.text, forKey: .until)
        case .onHold(let state): try fields.encode(state)
        case .holdEnded(let destination), .paused(let destination), .resumed(let destination):
            try fields.encode(destination, forKey: .destination)
        case .sourceRemoved(let item, _, let place):
            try fields.encode(CodedItem(item), forKey: .item)
            if let place { try fields.encode(place, .trash, .trashBytes) }
        case .sourceKept(let item, _, let failure, let isForGood):
            try fields.encode(CodedItem(item), forKey: .item)
            try fields.encode(isForGood, forKey: .forGood)
            try fields.encode(failure)
        }
    }

    /// Reads what ``encode(to:)`` writes, and passes over keys it does not know.
    ///
    /// - Throws: `DecodingError`, also for an event whose name a newer version made.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: EventKey.self)
        func item() throws -> MediaItem { try fields.decode(CodedItem.self, forKey: .item).item }
        func batch() throws -> BatchID { try fields.decode(BatchID.self, forKey: .batch) }
        func destination() throws -> String { try fields.decode(String.self, forKey: .destination) }
        switch try fields.decode(EventName.self, forKey: .event) {
        case .accepted:
            let submissions = try fields.decode([CodedSubmission].self, forKey: .submissions)
            self = .accepted(try item(), batch: try batch(), submissions.map(\.submission))
        case .refused: self = .refused(try fields.path(.path, .pathBytes), batch: try batch(), try fields.failure())
        case .leftBehind:
            let left = LeftBehind(
                path: try fields.path(.path, .pathBytes), folder: try fields.path(.folder, .folderBytes),
                reason: try fields.decode(LeftBehind.Reason.self, forKey: .reason))
            self = .leftBehind(left, batch: try batch())
        case .batchComplete: self = .batchComplete(try batch(), items: try fields.decode(Int.self, forKey: .items))
        case .started: self = .started(try fields.note())
        case .done: self = .done(try fields.note(), try fields.receipt())
        case .failed: self = .failed(try fields.note(), try fields.failure())
        case .waiting: self = .waiting(try fields.note(), try fields.failure(), until: try fields.timeIfPresent(.until))
        case .cancelled: self = .cancelled(try fields.note())
        case .onHold: self = .onHold(try fields.state())
        case .holdEnded: self = .holdEnded(destination: try destination())
        case .paused: self = .paused(destination: try destination())
        case .resumed: self = .resumed(destination: try destination())
        case .sourceRemoved:
            let place = fields.contains(.trash) ? try fields.path(.trash, .trashBytes) : nil
            self = .sourceRemoved(try item(), batch: try batch(), to: place)
        case .sourceKept:
            self = .sourceKept(
                try item(), batch: try batch(), try fields.failure(),
                isForGood: try fields.decode(Bool.self, forKey: .forGood))
        }
    }

    private var name: EventName {
        switch self {
        case .accepted: .accepted
        case .refused: .refused
        case .leftBehind: .leftBehind
        case .batchComplete: .batchComplete
        case .started: .started
        case .done: .done
        case .failed: .failed
        case .waiting: .waiting
        case .cancelled: .cancelled
        case .onHold: .onHold
        case .holdEnded: .holdEnded
        case .paused: .paused
        case .resumed: .resumed
        case .sourceRemoved: .sourceRemoved
        case .sourceKept: .sourceKept
        }
    }
}

/// An item in an event.
struct CodedItem: Codable {
    let item: MediaItem

    init(_ item: MediaItem) {
        self.item = item
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: EventKey.self)
        try fields.encode(item.source, .path, .pathBytes)
        try fields.encode(item.name, forKey: .name)
        try fields.encode(item.size, forKey: .size)
        try fields.encode(item.type.kind, forKey: .kind)
        try fields.encode(item.type.mime, forKey: .type)
        try fields.encode(item.type.filenameExtension, forKey: .filenameExtension)
        try fields.encode(item.modified.text, forKey: .modified)
        try fields.encodeIfPresent(item.captured?.description, forKey: .captured)
        try fields.encodeIfPresent(item.caption, forKey: .caption)
        if !item.tags.isEmpty { try fields.encode(item.tags, forKey: .tags) }
        for algorithm in item.digests.algorithms {
            try fields.encodeIfPresent(item.digests.hexadecimal(algorithm), forKey: EventKey(algorithm))
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: EventKey.self)
        var digests = Digests()
        for algorithm in DigestAlgorithm.allCases {
            digests[algorithm] = try fields.valueIfPresent(EventKey(algorithm)) { Hexadecimal.bytes(of: $0) }
        }
        item = MediaItem(
            source: try fields.path(.path, .pathBytes), name: try fields.decode(String.self, forKey: .name),
            size: try fields.decode(Int64.self, forKey: .size),
            type: MediaType(
                kind: try fields.decode(MediaKind.self, forKey: .kind),
                mime: try fields.decode(String.self, forKey: .type),
                filenameExtension: try fields.decode(String.self, forKey: .filenameExtension)),
            modified: try fields.time(.modified), captured: try fields.valueIfPresent(.captured) { CaptureTime($0) },
            caption: try fields.decodeIfPresent(String.self, forKey: .caption),
            tags: try fields.decodeIfPresent([String].self, forKey: .tags) ?? [], digests: digests)
    }
}

/// What is waiting of an accepted item, in an event.
struct CodedSubmission: Codable {
    let submission: AcceptedSubmission

    init(_ submission: AcceptedSubmission) {
        self.submission = submission
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: EventKey.self)
        try fields.encode(submission.id, forKey: .id)
        try fields.encode(submission.destination, forKey: .destination)
        if let refusal = submission.refusal { try fields.encode(refusal) }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: EventKey.self)
        submission = AcceptedSubmission(
            id: try fields.decode(SubmissionID.self, forKey: .id),
            destination: try fields.decode(String.self, forKey: .destination),
            refusal: fields.contains(.code) ? try fields.failure() : nil)
    }
}

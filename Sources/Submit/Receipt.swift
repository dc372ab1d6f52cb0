/// What a destination gave back for a completed submission.
public struct Receipt: Sendable, Hashable, Codable {
    /// The copy's identity at the destination: a path, a key, a service's id.
    public var remoteID: String
    /// Where people see it; without credentials in it. `nil` if there is no such place.
    public var url: String?
    /// How sure it is that the copy equals the item.
    public var evidence: Evidence
    /// The copy was there before: no bytes of the item were sent by this attempt.
    public var wasThere: Bool
    /// One sentence worth telling, such as another name that had to be taken.
    public var note: String?
    /// What the destination says of the copy that changes with its bytes, such as an ETag or a version, by names of the
    /// submitter's own. Kept with the receipt and shown to nobody: a later look compares it, see
    /// ``isContradicted(by:strongestFirst:)``. At most ``mostMarks`` bytes; holds no secret.
    public var marks: [String: String]

    /// The most bytes of UTF-8 that all names and texts of ``marks`` may have together. More are not kept.
    public static let mostMarks = 2048

    /// A receipt without ``marks``.
    public init(
        remoteID: String, url: String? = nil, evidence: Evidence, wasThere: Bool = false, note: String? = nil
    ) {
        self.init(remoteID: remoteID, url: url, evidence: evidence, wasThere: wasThere, note: note, marks: [:])
    }

    /// - Parameter marks: see ``marks``.
    public init(
        remoteID: String, url: String? = nil, evidence: Evidence, wasThere: Bool = false, note: String? = nil,
        marks: [String: String]
    ) {
        self.remoteID = remoteID
        self.url = url
        self.evidence = evidence
        self.wasThere = wasThere
        self.note = note
        self.marks = marks
    }

    /// Adds a sentence to the note; nothing for `nil`.
    public mutating func add(note sentence: String?) {
        guard let sentence else { return }
        note = note.map { "\($0) \(sentence)" } ?? sentence
    }

    /// Whether a copy that has these marks now is not the one that was stored.
    ///
    /// The first of `names` that both sides state decides; where they state none in common, nothing is contradicted.
    /// What marks are worth is for the submitter to know: a copy with another ETag may have the same bytes.
    public func isContradicted(by now: [String: String], strongestFirst names: [String]) -> Bool {
        for name in names {
            if let then = marks[name], let now = now[name] { return then != now }
        }
        return false
    }
}

internal import FoundationEssentials
internal import Submit
internal import SubmitTransfer

/// What a checkpoint of an upload in segments says: where they are.
struct SegmentedUploadCheckpoint: Sendable, Hashable, Codable {
    var container: String
    var key: String
    /// Bytes.
    var segmentSize: Int64
    /// What the names of all its segments begin with.
    var segments: String

    /// The note in a checkpoint; `nil` where it holds none.
    init?(_ checkpoint: Checkpoint?) {
        guard let checkpoint,
            let note = try? JSONDecoder().decode(Self.self, from: Data(checkpoint.data)), note.segmentSize > 0
        else { return nil }
        self = note
    }

    /// Segments are named after the submission, so that no other upload has the same ones and every attempt finds them
    /// again: `KEY/slo/SUBMISSION/SIZE/SEGMENT SIZE/`, in the manner of other clients of OpenStack Swift.
    init(container: String, key: String, _ plan: PartPlan, submission: String) {
        self.container = container
        self.key = key
        segmentSize = plan.partSize
        let rest = "\(Self.mark)\(submission)/\(plan.size)/\(plan.partSize)/"
        segments = Self.shortened(key, to: Self.longestName - rest.utf8.count - 8) + rest
    }

    static let mark = "/slo/"
    /// "Object name" in the Object Storage API, in bytes.
    static let longestName = 1024

    private static func shortened(_ text: String, to length: Int) -> String {
        var scalars = text.unicodeScalars[...]
        while scalars.reduce(0, { $0 + UTF8.width($1) }) > length { scalars = scalars.dropLast() }
        return String(scalars)
    }

    /// The name of the segment of this number; the first one is 1.
    func name(_ number: Int) -> String {
        let digits = String(number)
        return segments + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    /// The number of a segment of this name.
    func number(of name: String) -> Int? {
        name.hasPrefix(segments) ? Int(name.dropFirst(segments.count)) : nil
    }

    var checkpoint: Checkpoint { Checkpoint(data: (try? JSONEncoder().encode(self)).map(Array.init) ?? []) }
}

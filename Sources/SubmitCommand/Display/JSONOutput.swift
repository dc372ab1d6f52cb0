internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitPixels
internal import SubmitJournal
internal import SystemPackage

/// What `--json` says, as JSON objects. Times are ISO 8601 in UTC, sizes are bytes, absent values are left out.
enum JSONOutput {
    static func print(_ object: [String: Any]) {
        Output.record(text(object))
    }

    /// The line without its end.
    static func text(_ object: [String: Any]) -> String {
        // JSONSerialization takes five times as long, which is most of what `--json` costs with many photos.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? encoder.encode(JSONObject(members: object))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    static func object(_ event: SubmitEvent) -> [String: Any] {
        switch event {
        case .accepted(let item, let batch, let submissions):
            return [
                "event": "accepted", "batch": batch, "item": object(item),
                "submissions": submissions.map { submission -> [String: Any] in
                    ["id": submission.id, "destination": submission.destination]
                        .merging(submission.refusal.map { object($0, at: submission.destination) } ?? [:]) { $1 }
                },
            ]
        case .refused(let path, let batch, let failure):
            return refused(path, failure).merging(["batch": batch]) { $1 }
        case .leftBehind(let left, let batch): return leftBehind(left).merging(["batch": batch]) { $1 }
        case .batchComplete(let batch, let items): return ["event": "batch-complete", "batch": batch, "items": items]
        case .started(let note): return object("started", note)
        case .done(let note, let receipt): return object("done", note).merging(object(receipt)) { $1 }
        case .failed(let note, let failure):
            return object("failed", note).merging(object(failure, at: note.destination)) { $1 }
        case .waiting(let note, let failure, let until):
            var object = object("waiting", note).merging(object(failure, at: note.destination)) { $1 }
            object["until"] = until.map(time)
            return object
        case .cancelled(let note): return object("cancelled", note)
        case .onHold(let state):
            return ["event": "on-hold", "destination": state.name].merging(hold(of: state) ?? [:]) { $1 }
        case .holdEnded(let destination): return ["event": "hold-ended", "destination": destination]
        case .paused(let destination): return ["event": "paused", "destination": destination]
        case .resumed(let destination): return ["event": "resumed", "destination": destination]
        case .sourceRemoved(let item, let batch, let place):
            var object: [String: Any] = [
                "event": "source-removed", "batch": batch, "path": item.source.string, "name": item.name,
            ]
            object["trash"] = place?.string
            return object
        case .sourceKept(let item, let batch, let failure, let isForGood):
            return [
                "event": "source-kept", "batch": batch, "path": item.source.string, "name": item.name,
                "for_good": isForGood,
            ].merging(object(failure)) { $1 }
        }
    }

    /// What is only looked at has no batch.
    static func refused(_ path: FilePath, _ failure: SubmitFailure) -> [String: Any] {
        ["event": "refused", "path": path.string].merging(object(failure)) { $1 }
    }

    static func leftBehind(_ left: LeftBehind) -> [String: Any] {
        [
            "event": "left-behind", "path": left.path.string, "folder": left.folder.string,
            "reason": left.reason.rawValue,
        ]
    }

    static func object(_ tally: LeftBehindTally) -> [[String: Any]] {
        tally.lines.map { ["folder": $0.folder.string, "reason": $0.reason.rawValue, "count": $0.count] }
    }

    static func object(_ tally: IncompleteTally) -> [[String: Any]] {
        tally.lines.map { ["code": $0.code, "count": $0.count, "path": $0.first.string] }
    }

    static func object(_ tally: UnchangedTally) -> [String: Any] {
        [
            "files": tally.files,
            "destinations": tally.lines.map {
                ["destination": $0.destination, "done": $0.done, "bytes": $0.doneSize, "waiting": $0.waiting]
                    as [String: Any]
            },
        ]
    }

    static func object(_ record: SubmissionRecord) -> [String: Any] {
        var object: [String: Any] = [
            "submission": record.id, "batch": record.batch, "destination": record.destination,
            "item": self.object(record.item), "state": record.state.name, "tries": record.tries,
            "on_conflict": record.onConflict.rawValue, "verify": record.verification.rawValue,
        ]
        object["album"] = record.album
        if let rendition = record.rendition {
            object["rendition"] = self.object(rendition, recipe: record.recipe)
        } else if let recipe = record.recipe {
            object["rendition"] = ["recipe": recipe]
        }
        object["due"] = record.state == .waiting ? record.notBefore.flatMap(future) : nil
        object["settled"] = record.settled.map(time)
        object["code"] = record.code
        object["message"] = record.advised
        return object.merging(record.receipt.map(self.object) ?? [:]) { $1 }
    }

    /// - Parameter event: `audit` or `repair`.
    static func object(_ event: String, _ audited: AuditedSubmission) -> [String: Any] {
        var object = object(audited.record)
        object["event"] = event
        object["source"] = audited.source.rawValue
        object["trashed"] = audited.trashed?.string
        switch audited.finding {
        case .there(let evidence):
            object["finding"] = "there"
            object["evidence_now"] = evidence.rawValue
        case .changed(let difference):
            object["finding"] = "changed"
            object["difference"] = difference.rawValue
        case .vanished: object["finding"] = "vanished"
        case .cannotTell(let why):
            object["finding"] = "cannot-tell"
            object["message"] = why
        case .skipped: object["finding"] = "skipped"
        case .waiting: object["finding"] = "waiting"
        case .failed: object["finding"] = "failed"
        case .cancelled: object["finding"] = "cancelled"
        }
        if !audited.elsewhere.isEmpty {
            object["elsewhere"] = audited.elsewhere.map { copy -> [String: Any] in
                ["submission": copy.id, "destination": copy.destination].merging(copy.receipt.map(self.object) ?? [:]) {
                    $1
                }
            }
        }
        return object
    }

    /// `nil` where something goes out.
    static func hold(of state: DestinationState) -> [String: Any]? {
        guard let hold = state.hold else { return nil }
        var object: [String: Any] = ["reason": hold.reason?.rawValue ?? "credentials", "code": hold.code]
        object["message"] = state.advised
        object["until"] = hold.until.flatMap(future)
        return object
    }

    static func object(_ item: MediaItem) -> [String: Any] {
        var object: [String: Any] = [
            "path": item.source.string, "name": item.name, "size": item.size, "kind": item.type.kind.rawValue,
            "type": item.type.mime, "modified": time(item.modified),
        ]
        object.merge(hexadecimal(item.digests)) { $1 }
        object["captured"] = item.captured?.description
        object["caption"] = item.caption
        if !item.tags.isEmpty { object["tags"] = item.tags }
        return object
    }

    static func object(_ preview: RenditionPreview) -> [String: Any] {
        let content = preview.content
        var object: [String: Any] = [
            "recipe": preview.policy.description, "name": content.name, "size": content.size,
            "type": content.type.mime,
        ]
        if let pixels = preview.pixels { (object["width"], object["height"]) = (pixels.width, pixels.height) }
        return object.merging(hexadecimal(content.digests)) { $1 }
    }

    private static func object(_ rendition: Rendition, recipe: String?) -> [String: Any] {
        var object: [String: Any] = [
            "engine": rendition.engine, "size": rendition.size, "type": rendition.type.mime,
        ]
        object["recipe"] = recipe
        return object.merging(hexadecimal(rendition.digests)) { $1 }
    }

    /// By their names.
    private static func hexadecimal(_ digests: Digests) -> [String: Any] {
        digests.algorithms.reduce(into: [:]) { $0[$1.rawValue] = digests.hexadecimal($1) }
    }

    static func object(_ capabilities: Capabilities) -> [String: Any] {
        var object: [String: Any] = [
            "width": capabilities.ordering.width, "sequential": capabilities.ordering == .sequential,
            "minimum_gap_ms": capabilities.minimumGap.milliseconds, "albums": capabilities.supportsAlbums,
            "kinds": capabilities.kinds.map(\.rawValue).sorted(), "resumes": capabilities.canResume,
            "requires_network": capabilities.requiresNetwork,
            "digests": capabilities.digests.map(\.rawValue).sorted(),
            "reads_back": capabilities.canReadBack, "uses_capture_time": capabilities.usesCaptureTime,
            "visibility": capabilities.visibility.rawValue, "keeps_bytes": capabilities.keepsBytes,
            "digest_limits": Dictionary(
                uniqueKeysWithValues: capabilities.digestLimits.map { ($0.key.rawValue, $0.value) }),
            "maximum_size": Dictionary(
                uniqueKeysWithValues: capabilities.maximumSize.map { ($0.key.rawValue, $0.value) }),
        ]
        object["types"] = capabilities.mimeTypes?.sorted()
        object["proves"] = capabilities.proves?.rawValue
        object["caption_limit"] = capabilities.captionLimit
        return object
    }

    private static func object(_ event: String, _ note: SubmissionNote) -> [String: Any] {
        var object: [String: Any] = [
            "event": event, "submission": note.id, "batch": note.batch, "destination": note.destination,
            "path": note.item.source.string, "name": note.item.name, "attempt": note.attempt,
        ]
        object["recipe"] = note.recipe
        return object
    }

    private static func object(_ receipt: Receipt) -> [String: Any] {
        var object: [String: Any] = [
            "remote_id": receipt.remoteID, "evidence": receipt.evidence.rawValue, "was_there": receipt.wasThere,
        ]
        object["url"] = receipt.url
        object["note"] = receipt.note
        return object
    }

    private static func object(_ failure: SubmitFailure, at destination: String? = nil) -> [String: Any] {
        ["code": failure.code, "message": failure.advised(at: destination)]
    }

    /// A time that something waits for; `nil` once it has come.
    private static func future(_ time: Timestamp) -> String? {
        time > .now ? self.time(time) : nil
    }

    static func time(_ time: Timestamp) -> String {
        var seconds = time_t(time.seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let milliseconds = time.nanosecondsOfSecond / 1_000_000
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec, Int(milliseconds))
    }
}

internal import Foundation
internal import Submit
internal import SubmitEngine

/// `--dry-run`: looks at every file as an acceptance would, and says what would go where.
struct DryRun {
    let session: Session
    let isJSON: Bool

    func run(_ request: SubmitRequest) async throws {
        let targets = DryRunTargets(session.manager.destinations, request)
        var refused = 0
        var unchanged = 0
        var leftBehind = LeftBehindTally()
        try await session.manager.preview(request) { preview in
            switch preview {
            case .item(let item, let destinations):
                for (destination, refusal) in destinations {
                    if await !show(item, destination, refusal, targets, request.rendition) { refused += 1 }
                }
            case .refused(let path, let failure):
                refused += 1
                if isJSON {
                    JSONOutput.print(JSONOutput.refused(path, failure))
                } else {
                    Output.trouble("refused: \(Printable.line(failure.advised()))")
                }
            case .leftBehind(let left):
                leftBehind.add(left)
                if isJSON { JSONOutput.print(JSONOutput.leftBehind(left)) }
            case .unchanged: unchanged += 1
            }
        }
        if isJSON {
            let summary: [String: Any] = ["left_behind": JSONOutput.object(leftBehind), "unchanged": unchanged]
            JSONOutput.print(targets.object.merging(summary) { $1 })
        } else {
            targets.lines.forEach { Output.line(Printable.line($0)) }
            if unchanged > 0 {
                Output.line("accepted before and unchanged, sent or waiting: \(Printable.count(unchanged, "file"))")
            }
            leftBehind.sentences.forEach(Output.line)
        }
        if refused > 0 { throw ExitStatus.failed }
        if leftBehind.missed > 0 { throw ExitStatus.leftBehind }
    }

    /// - Returns: whether it would be sent.
    private func show(
        _ item: MediaItem, _ destination: String, _ refusal: SubmitFailure?, _ targets: DryRunTargets,
        _ asked: RenditionPolicy?
    ) async -> Bool {
        var (refusal, preview) = (refusal, RenditionPreview?.none)
        if refusal == nil {
            do throws(SubmitFailure) {
                preview = try await session.manager.preview(rendition: item, at: destination, asked: asked)
            } catch {
                refusal = error
            }
        }
        let content = preview?.content ?? item
        let policy = (try? session.manager.destination(named: destination))?.rendition(asked: asked)
        let isSkipped = policy?.skips(item) ?? false
        if isSkipped { targets.skipped(at: destination) } else if refusal != nil { targets.refused(at: destination) }
        let found = refusal == nil ? await targets.find(content, at: destination) : nil
        if isJSON {
            var object: [String: Any] = [
                "event": "would-send", "destination": destination, "item": JSONOutput.object(item),
            ]
            if let preview, !preview.policy.isOriginal { object["rendition"] = JSONOutput.object(preview) }
            object["code"] = refusal?.code
            object["message"] = refusal?.advised(at: destination)
            JSONOutput.print(object.merging(found?.object ?? [:]) { $1 })
        } else if let refusal {
            let words = Printable.line(refusal.advised(at: destination))
            if isSkipped { Output.line("would skip: \(words)") } else { Output.trouble("would fail: \(words)") }
        } else {
            let size = Printable.bytes(content.size)
            let made = preview.flatMap { $0.policy.isOriginal ? nil : ", \($0.words)" } ?? ""
            Output.line(
                Printable.line(
                    "would send: \(item.name) → \(destination) (\(content.type.mime), \(size)\(made))\(found?.words ?? "")"
                ))
        }
        return refusal == nil || isSkipped
    }
}

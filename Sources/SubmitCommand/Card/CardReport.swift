internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
internal import SystemPackage

/// What `submit card` says besides the run: how sure copies can be, what is not safe and why, and whether the card is.
final class CardReport: Sendable {
    private let card: FilePath
    private let isJSON: Bool
    private let isQuiet: Bool
    private let isVerbose: Bool
    /// Files that are not safe, by cause, in the order in which they were found.
    private let unsafe = Locked<[(first: UnsafeFile, count: Int)]>([])
    /// Destinations at which copies have vanished or were changed.
    private let losers = Locked<Set<String>>([])
    /// Codes of files that stayed, each of which has its line.
    private let told = Locked<Set<String>>([])

    init(card: FilePath, _ options: RunOptions) {
        self.card = card
        (isJSON, isQuiet, isVerbose) = (options.json, options.quiet, options.verbose)
    }

    /// Before anything is sent.
    func tell(_ proofs: [(destination: String, proof: DestinationProof)]) {
        for (name, proof) in proofs {
            if isJSON {
                JSONOutput.print(
                    ["event": "proof", "destination": name, "proof": proof.word, "message": proof.sentence(name)])
            } else if case .never = proof {
                Output.trouble(Printable.line(proof.sentence(name)))
            } else if !isQuiet {
                Output.line(Printable.line(proof.sentence(name)))
            }
        }
    }

    func show(_ file: UnsafeFile) {
        if file.isLost, let name = file.destination { losers.withLock { _ = $0.insert(name) } }
        if isJSON {
            var object: [String: Any] = ["event": "not-safe", "path": file.path.string, "message": file.message]
            object["destination"] = file.destination
            JSONOutput.print(object)
        } else if isVerbose {
            tell(file, count: 1)
        } else {
            unsafe.withLock { causes in
                let known = causes.firstIndex {
                    $0.first.message == file.message && $0.first.destination == file.destination
                }
                if let known { causes[known].count += 1 } else { causes.append((file, 1)) }
            }
        }
    }

    private func tell(_ file: UnsafeFile, count: Int) {
        let place = file.destination.map { " at \($0)" } ?? ""
        let files = count == 1 ? "\(file.path)" : "\(count) files, \(file.path) and others"
        Output.trouble(Printable.line("not safe\(place): \(files): \(file.message)"))
    }

    /// A line for each cause for which files are not safe, and the command that sends lost copies again.
    func tellUnsafe() {
        for (file, count) in unsafe.withLock({ $0 }) { tell(file, count: count) }
        let names = losers.withLock { $0.sorted() }
        if names.isEmpty || isJSON { return }
        Output.trouble(
            "`submit repair \(names.joined(separator: " "))` sends what has vanished or was changed again; then check the card "
                + "again.")
    }

    /// The verdict.
    func finish(_ found: SafetyReport, places: [String], _ end: ExitStatus) {
        let isSafe = found.isSafe
        if isJSON {
            JSONOutput.print([
                "event": "card", "path": card.string, "files": found.files, "bytes": found.size, "safe": found.safe,
                "places": places.count, "is_safe": found.isSafeToFormat,
                "destinations": places.map { ["destination": $0, "verified": found.copies[$0] ?? 0] as [String: Any] },
                "left_behind": JSONOutput.object(found.leftBehind), "exit_code": end.rawValue,
            ])
            return
        }
        if isQuiet, end == .done { return }
        let counts = "\(found.safe) of \(found.files)"
        let where_ = "at \(Printable.count(places.count, "place"))"
        let names = places.joined(separator: ", ")
        let verdict: String
        if found.files == 0 {
            verdict = "not safe to format: no photo and no video was found below \(card)"
        } else if !isSafe {
            verdict = "not safe to format: \(counts) \(where_) (\(names)); the lines above say what is missing and why"
        } else if found.leftBehind.missed > 0 {
            let left = Printable.count(found.leftBehind.missed, "other file")
            verdict =
                "\(counts) photos and videos are safe \(where_) (\(names)), but \(left) \(found.leftBehind.missed == 1 ? "was" : "were") "
                + "left behind: look before you format \(card)"
        } else {
            verdict = "safe to format: \(counts) \(where_) (\(names)), \(Printable.bytes(found.safeSize))"
        }
        Output.line(Printable.line(verdict))
    }

    /// Whether the files are to be deleted, as somebody at the terminal says.
    func asksToDelete(_ found: SafetyReport) -> Bool {
        guard !isJSON, !isQuiet, Confirmation.isPossible else {
            if !isJSON, !isQuiet {
                Output.line("The same command with `--free` and the folder of the card deletes what is safe.")
            }
            return false
        }
        let what = "\(Printable.count(found.safe, "file")), \(Printable.bytes(found.safeSize))"
        return Confirmation.ask(Printable.line("Delete what is safe from \(card) (\(what))?"))
    }

    func show(_ event: SubmitEvent) {
        switch event {
        case .sourceRemoved where isJSON, .sourceKept where isJSON: JSONOutput.print(JSONOutput.object(event))
        case .sourceKept(_, _, let failure, _):
            // One line for each cause; the sum has the count.
            guard isVerbose || told.withLock({ $0.insert(failure.code).inserted }) else { return }
            Output.trouble(Printable.line("kept: \(failure.advised())"))
        default: break
        }
    }

    func tellFreed(_ deleted: Int, kept: Int, wasInterrupted: Bool) {
        if isJSON || isQuiet { return }
        if wasInterrupted {
            Output.line("submit: interrupted; `submit card` goes on.")
        } else {
            let rest = kept == 0 ? "" : "; \(Printable.count(kept, "file")) stayed, for the reasons above"
            Output.line("deleted from the card: \(Printable.count(deleted, "file"))\(rest)")
        }
    }
}

extension SafetyReport {
    /// All that lies there, besides what nobody misses, is safe.
    var isSafeToFormat: Bool { isSafe && leftBehind.missed == 0 }
}

extension DestinationProof {
    var word: String {
        switch self {
        case .verified: "verified"
        case .readBack: "readback"
        case .unknown: "unknown"
        case .never: "never"
        }
    }

    func sentence(_ destination: String) -> String {
        switch self {
        case .verified: "\(destination) proves its copies by itself."
        case .readBack(let evidence?):
            "\(destination) proves its copies by “\(evidence.rawValue)” only: each is read back, which takes about as long as sending it."
        case .readBack(nil):
            "\(destination) may prove less than is needed: its copies are read back then."
        case .unknown: "How \(destination) proves its copies is known when it has got the first one."
        case .never(let failure): "Copies at \(destination) do not count: \(failure.message)"
        }
    }
}

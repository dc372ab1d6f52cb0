internal import ArgumentParser
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// `submit cleanup`
struct Cleanup: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleanup", abstract: "List and remove incomplete uploads at a destination.",
        discussion: """
            Uploads that a waiting submission resumes stay, and so do those younger than --older-than: another computer may \
            still be sending them. A failed submission starts over when you retry it after its upload was removed.
            """)

    @Argument(help: "A destination.", completion: Completed.destination)
    var destination: String

    @Option(help: ArgumentHelp("Remove only what is at least this old, such as 0s, 30m, 12h or 7d.", valueName: "age"))
    var olderThan = TimeSpan(seconds: 86_400)

    @Flag(help: "List what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        let name = try session.destinations([destination])[0]
        var removed = 0
        var isFine = true
        var young: [Leftover] = []
        for leftover in try await session.manager.leftovers(at: name) {
            guard isOldEnough(leftover) else {
                young.append(leftover)
                continue
            }
            do throws(SubmitFailure) {
                if !dryRun { try await session.manager.remove(leftover, at: name) }
                removed += 1
                show(leftover, name, nil)
            } catch {
                isFine = false
                show(leftover, name, error.advised(at: name))
            }
        }
        if !json {
            let what = Printable.count(removed, "incomplete upload")
            Output.line(dryRun ? "\(what) would be removed from \(name)." : "\(what) removed from \(name).")
        }
        tell(young, at: name)
        if !isFine { throw ExitStatus.failed }
    }

    private func isOldEnough(_ leftover: Leftover) -> Bool {
        // Whatever the server's clock says: s3api rounds up to a second that is yet to come.
        if olderThan.seconds == 0 { return true }
        guard let begun = leftover.begun else { return false }
        return begun.duration(to: .now) >= .seconds(olderThan.seconds)
    }

    /// Why some stay, and when they go.
    private func tell(_ young: [Leftover], at name: String) {
        if young.isEmpty { return }
        if json {
            for leftover in young {
                show(leftover, name, "It is younger than \(olderThan), or of unknown age.", stays: true)
            }
            return
        }
        let times = young.compactMap { $0.begun?.advanced(by: .seconds(olderThan.seconds)) }
        let (one, few) = (young.count == 1, Printable.count(young.count, "incomplete upload"))
        var lines: [String] = []
        if let last = times.max() {
            lines.append(
                "\(few) \(one ? "stays" : "stay"): \(one ? "it is" : "they are") younger than \(olderThan), and another "
                    + "computer may still be sending \(one ? "it" : "them"). `submit cleanup \(name)` removes "
                    + "\(one ? "it" : "all of them") after \(Printable.local(last)).")
        }
        if times.count < young.count {
            let unknown = young.count - times.count
            lines.append(
                "\(name) doesn't say how old \(Printable.count(unknown, "incomplete upload")) \(unknown == 1 ? "is" : "are")."
            )
        }
        lines.append("If nothing else sends to \(name), remove all of them now:")
        for line in lines { Output.line(Printable.line(line)) }
        Output.line(Printable.line("  submit cleanup \(name) --older-than 0s"))
    }

    private func show(_ leftover: Leftover, _ name: String, _ trouble: String?, stays: Bool = false) {
        if json {
            var object: [String: Any] = ["destination": name, "id": leftover.id, "name": leftover.name]
            object["begun"] = leftover.begun.map(JSONOutput.time)
            object["bytes"] = leftover.bytes
            object["removed"] = !dryRun && trouble == nil && !stays
            object["message"] = trouble
            JSONOutput.print(object)
        } else {
            let size = leftover.bytes.map { ", \(Printable.bytes($0))" } ?? ""
            let begun = leftover.begun.map { ", begun \(Printable.local($0))" } ?? ""
            Output.line(Printable.line("\(leftover.name)\(size)\(begun)\(trouble.map { ": \($0)" } ?? "")"))
        }
    }
}

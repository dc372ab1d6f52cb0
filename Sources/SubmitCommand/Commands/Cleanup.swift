internal import ArgumentParser
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// `submit cleanup`
struct Cleanup: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleanup", abstract: "List and remove what broken uploads left at a destination.",
        discussion: """
            Uploads that a waiting submission goes on with are left alone, and so are those younger than --older-than, which \
            may be another computer's. A failed submission begins anew when it is retried after its upload was removed.
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
        for leftover in try await session.manager.leftovers(at: name) where isOldEnough(leftover) {
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
            let what = Printable.count(removed, "broken upload")
            Output.line(dryRun ? "\(what) would be removed from \(name)." : "\(what) removed from \(name).")
        }
        if !isFine { throw ExitStatus.failed }
    }

    private func isOldEnough(_ leftover: Leftover) -> Bool {
        // Whatever the server's clock says: s3api rounds up to a second that is yet to come.
        if olderThan.seconds == 0 { return true }
        guard let begun = leftover.begun else { return false }
        return Timestamp.now.nanoseconds - begun.nanoseconds >= Int64(olderThan.seconds) * 1_000_000_000
    }

    private func show(_ leftover: Leftover, _ name: String, _ trouble: String?) {
        if json {
            var object: [String: Any] = ["destination": name, "id": leftover.id, "name": leftover.name]
            object["begun"] = leftover.begun.map(JSONOutput.time)
            object["bytes"] = leftover.bytes
            object["removed"] = !dryRun && trouble == nil
            object["message"] = trouble
            JSONOutput.print(object)
        } else {
            let size = leftover.bytes.map { ", \(Printable.bytes($0))" } ?? ""
            let begun = leftover.begun.map { ", begun \(Printable.local($0))" } ?? ""
            Output.line(Printable.line("\(leftover.name)\(size)\(begun)\(trouble.map { ": \($0)" } ?? "")"))
        }
    }
}

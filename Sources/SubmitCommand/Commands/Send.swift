public import ArgumentParser
internal import Foundation
public import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// `submit [--to a,b] PATH...`
struct Send: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send photos and videos (the default verb).",
        usage: "submit [--to DESTINATION,...] [OPTIONS] PATH...",
        discussion: """
            submit writes down what goes to each destination before it sends anything. `submit resume` continues an \
            interrupted run. If no destination is named or configured as the default, submit sends nothing when a path \
            doesn't exist, or when the last path looks like a destination.

            Examples:
              submit photo.jpg
              submit --to nas,cloud ~/Pictures
              submit --to blog --caption "The harbour at night" --tag harbour harbour.jpg
              submit --to nas --newer 7d --dry-run ~/Pictures
            """)

    @OptionGroup var target: TargetOptions

    @OptionGroup var renditions: RenditionOptions

    @Option(
        help: ArgumentHelp(
            "Publish these words with each item. Services that take a description for the blind get them there, too.",
            valueName: "text"))
    var caption: String?

    @Option(
        help: "A keyword, kept in the journal for destinations that have a place for them; may be given several times.")
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("What to do where a destination holds other bytes of an item's name.", valueName: "choice"))
    var onConflict = ConflictPolicy.rename

    @Option(
        help: ArgumentHelp(
            "How copies are proven: by what the destination says (usual), or by reading them again (readback).",
            valueName: "choice"))
    var verify = Verification.usual

    @OptionGroup var sources: RemovalOptions

    @Option(
        help: ArgumentHelp(
            "Which goes first of what waits, in every run: high, normal, or low, when nothing else is due.",
            valueName: "choice"))
    var priority = SendingPriority.normal

    @Flag(help: "Take files that are neither photo nor video, too.")
    var anyFile = false

    @Flag(help: "Take hidden files and folders below named folders, too.")
    var hidden = false

    @Flag(help: "Follow links to folders below named folders, too.")
    var followLinks = false

    @Flag(help: "Send files again that were sent before and have not changed since, as if they were new.")
    var reread = false

    @Flag(help: "Say what would be sent where, and send nothing.")
    var dryRun = false

    @Flag(help: "Don't ask before sending very many files, publishing many photos or using an unmounted disk's folder.")
    var yes = false

    @Flag(help: "Accept everything and send nothing yet; `submit resume` sends it.")
    var later = false

    @Flag(name: .customShort("0"), help: "With “-”: names end with NUL instead of a line's end.")
    var nul = false

    @Option(
        help: ArgumentHelp(
            "A file with the names of files and folders, one a line (with -0: NUL between them); as often as wanted.",
            valueName: "file"),
        completion: .file())
    var filesFrom: [String] = []

    @OptionGroup(title: "Which files") var files: FilterOptions

    @OptionGroup var options: RunOptions

    @Argument(help: "Files and folders, or “-” for a list of names on standard input.", completion: .file())
    var paths: [String] = []

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if paths.isEmpty, filesFrom.isEmpty, !Overview.isAskedFor {
            throw ValidationError("Name the photos to send, or “-” for a list on standard input.")
        }
    }

    func run() async throws {
        if paths.isEmpty, filesFrom.isEmpty { return try await Overview.show(json: options.json) }
        let words = TypedWords(paths: paths, target: target)
        try words.refuseCommand()
        let separator: UInt8 = nul ? 0 : 0x0a
        let named =
            try SourcePaths.resolve(paths, separator: separator)
            + SourcePaths.listed(in: filesFrom, separator: separator)
        if named.isEmpty {
            let list = filesFrom.isEmpty ? "on standard input" : "of names"
            if !options.json, !options.quiet { Output.line("The list \(list) names no file.") }
            return
        }
        let bare = try Session()
        let habit = CopyHabit(session: bare)
        try words.refuseDestinations(habit)
        try words.refuseMissing(named, habit)
        var (photos, names) = (named, target.names)
        if let folder = try habit.target(of: paths, to: names) {
            (photos, names) = (photos.filter { $0 != named[paths.count - 1] }, [folder])
        }
        // A new destination that gets nothing isn't kept.
        let isKept = !dryRun && photos.contains { !TypedWords.isMissing($0) }
        let session = try await bare.adding(foldersOf: names, isMeant: yes, isKept: isKept)
        let destinations = try session.destinations(names)
        if !dryRun { try await session.confirmDisks(of: destinations, isMeant: yes) }
        var request = SubmitRequest(
            paths: photos, destinations: destinations, album: target.album, caption: caption, tags: tag,
            onConflict: onConflict, verification: verify, takesAnyFile: anyFile,
            reach: FileWalk.Reach(followsLinks: followLinks, takesHidden: hidden), skipsUnchanged: !reread,
            removal: sources.removal)
        request.rendition = renditions.asked
        (request.filter, request.order, request.priority) = (files.filter, files.order, priority)
        for warning in try await session.manager.removalWarnings(request) { ErrorReport.warn(warning) }
        try await WideSources(session: session, isMeant: yes || dryRun).check(request)
        if dryRun {
            try await DryRun(session: session, isJSON: options.json).run(request)
            return
        }
        try session.manager.check(request)
        try await Publishing(session: session, isMeant: yes).check(request)
        try await Runner(session: session, options: options, later: later).send(request)
    }
}

extension ConflictPolicy: ExpressibleByArgument {}
extension Verification: ExpressibleByArgument {}

extension [String] {
    /// `--to a,b --to c` as a, b, c.
    var splitAtCommas: [String] {
        flatMap { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }.filter { !$0.isEmpty }
    }
}

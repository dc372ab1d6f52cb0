public import ArgumentParser
internal import Submit
internal import SubmitConcurrency
public import SubmitEngine
internal import SystemPackage

/// Options that say which files are meant, and in which order they go.
struct FilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take what matches, by the rules of gitignore; given first, nothing else is taken. The last of --include and --exclude that matches decides.",
            valueName: "pattern"),
        transform: NumberedRule.include)
    var include: [NumberedRule] = []

    @Option(
        help: ArgumentHelp("Leave out what matches, by the rules of gitignore.", valueName: "pattern"),
        transform: NumberedRule.exclude)
    var exclude: [NumberedRule] = []

    @Option(
        help: ArgumentHelp("Rules out of a file that is written as a .gitignore.", valueName: "file"),
        completion: .file(), transform: NumberedRule.file)
    var excludeFrom: [NumberedRule] = []

    @Option(
        help: ArgumentHelp(
            "Only files that were changed since: a span such as 7d, or a date such as 2026-11-01 or 2026-11-01T18:30.",
            valueName: "when"))
    var newer: PointInTime?

    @Option(help: ArgumentHelp("Only files that were last changed before.", valueName: "when"))
    var older: PointInTime?

    @Option(help: ArgumentHelp("Only files of this size or more, such as 100k, 5M or 1G.", valueName: "size"))
    var minSize: TypedSize?

    @Option(help: ArgumentHelp("Only files of this size or less.", valueName: "size"))
    var maxSize: TypedSize?

    @Option(
        help: ArgumentHelp(
            "Only photo, video or other (taken with --any-file), by content; with commas between them.",
            valueName: "kind,..."))
    var kind: [String] = []

    @Option(
        help: ArgumentHelp(
            "Which files go first: by name (the usual), new, old, small or large.", valueName: "order"))
    var order = SourceOrder.name

    func validate() throws {
        for name in kind.splitAtCommas where MediaKind(rawValue: name) == nil {
            let kinds = MediaKind.allCases.map(\.rawValue)
            throw ValidationError(
                "“\(name)” is no kind\(NearestNames.hint(for: name, among: kinds)): take \(kinds.joined(separator: ", "))."
            )
        }
        if let minSize, let maxSize, minSize.bytes > maxSize.bytes {
            throw ValidationError("--min-size is more than --max-size: nothing would be sent.")
        }
        if let newer, let older, newer.time >= older.time {
            throw ValidationError("--newer is not before --older: nothing would be sent.")
        }
    }

    var filter: SourceFilter {
        let rules = (include + exclude + excludeFrom).sorted { $0.place < $1.place }
        let kinds = kind.splitAtCommas.compactMap(MediaKind.init)
        return SourceFilter(
            rules: IgnoreRules(lines: rules.flatMap(\.lines)), changedSince: newer?.time, changedBefore: older?.time,
            minSize: minSize?.bytes, maxSize: maxSize?.bytes, kinds: kinds.isEmpty ? nil : Set(kinds))
    }
}

extension SourceOrder: ExpressibleByArgument {}
extension SendingPriority: ExpressibleByArgument {}

/// Rules of one option, with the place of that among all: the options are read one after the other, each into a list of its
/// own.
struct NumberedRule {
    let place: Int
    let lines: [String]

    private static let count = Locked(0)

    private init(_ lines: [String]) {
        place = Self.count.withLock { count in
            count += 1
            return count
        }
        self.lines = lines
    }

    static func include(_ pattern: String) throws -> NumberedRule { NumberedRule(["!" + pattern]) }

    static func exclude(_ pattern: String) throws -> NumberedRule {
        NumberedRule([pattern.hasPrefix("#") ? "\\" + pattern : pattern])
    }

    static func file(_ path: String) throws -> NumberedRule {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            defer { try? file.close() }
            guard let bytes = try WholeFile.bytes(of: file, most: 16 << 20) else { throw Errno.fileTooLarge }
            return NumberedRule(IgnoreRules(text: bytes).lines)
        } catch {
            throw ValidationError(
                Printable.line(
                    "The file of rules “\(path)” cannot be read (\(error)): check its name and its permissions."))
        }
    }
}

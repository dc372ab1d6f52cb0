public import ArgumentParser
public import SubmitStore

/// Options of verbs that remove sources once they are safe.
struct RemovalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Remove each source once this many destinations hold a verified copy of it, all looked at again at that moment.",
            valueName: "copies"))
    var removeSourceWhen: Int?

    @Option(
        help: ArgumentHelp(
            "With --remove-source-when: into the trash of the desktop (trash, the usual), or for good (delete).",
            valueName: "choice"))
    var removeSourceHow: RemovalManner?

    /// What was asked for; `nil`: sources stay.
    var removal: SourceRemoval? {
        removeSourceWhen.map { SourceRemoval(copies: $0, manner: removeSourceHow ?? .trash) }
    }

    func validate() throws {
        if removeSourceHow != nil, removeSourceWhen == nil {
            throw ValidationError(
                "--remove-source-how says how, and --remove-source-when COPIES whether sources are removed.")
        }
    }
}

extension RemovalManner: ExpressibleByArgument {}

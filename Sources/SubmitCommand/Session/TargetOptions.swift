internal import ArgumentParser

/// Options of verbs that say where something goes.
struct TargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Destinations or folders, with commas between them. (default: those of the configuration, or `file`)",
            valueName: "destination,..."), completion: Completed.destinations)
    var to: [String] = []

    @Option(help: "The album at each destination, such as a folder or a key prefix; nested with “/”.")
    var album: String?

    /// The names that were given.
    var names: [String] { to.flatMap { Session.isFolder($0) ? [$0] : [$0].splitAtCommas } }

    func validate() throws {
        if !to.isEmpty, names.isEmpty {
            throw ValidationError(
                "--to names no destination, which would mean the default ones: check for unset variables.")
        }
    }
}

internal import Submit

extension CommandSubmitter {
    /// The type `command`.
    static func submitterType() -> SubmitterType {
        SubmitterType(
            name: "command",
            summary: "any program that takes a file; its exit status is the receipt",
            capabilities: capabilities(jobs: mostJobs, albums: true),
            settings: [
                SettingKey(
                    "run", .text, summary: "the program and its words, such as: upload --title {caption} {path}",
                    isRequired: true),
                SettingKey(
                    "present", .text, summary: "a program that looks for a copy: 0 is there, 1 is not, else cannot tell"
                ),
                SettingKey("remove", .text, summary: "a program that removes a copy"),
                SettingKey("albums", .text, summary: "a program that prints the albums there are, one a line"),
                SettingKey(
                    "repeatable", .boolean,
                    summary:
                        "no: a photo whose sending broke off is not sent again before someone looked (yes if not set)"),
                SettingKey(
                    "jobs", .integer, summary: "how many items are sent at once, 1 to \(mostJobs); 1 if not set"),
                SettingKey(
                    "timeout", .integer, summary: "seconds after which a program is ended; \(defaultTimeout) if not set"
                ),
            ],
            make: { (settings) throws(SubmitFailure) in try CommandSubmitter(settings) })
    }

    private static let mostJobs = 16
    private static let defaultTimeout = 3600

    static func capabilities(jobs: Int, albums: Bool) -> Capabilities {
        Capabilities(
            ordering: jobs == 1 ? .sequential : .concurrent(jobs), captionLimit: 10_000, supportsAlbums: albums,
            requiresNetwork: false)
    }

    init(_ settings: DestinationSettings) throws(SubmitFailure) {
        guard var run = try CommandLineTemplate("run", in: settings, given: ItemValues.ofItem + ItemValues.ofSending)
        else {
            throw settings.invalid("run", "is not set: give it the command to run")
        }
        if !run.mentions("path") { run = run.adding("{path}") }
        let jobs = try settings.integer("jobs", in: 1...Self.mostJobs) ?? 1
        self.init(
            destination: settings.destination, run: run,
            present: try CommandLineTemplate("present", in: settings, given: ItemValues.ofItem + ItemValues.ofCopy),
            remove: try CommandLineTemplate("remove", in: settings, given: ItemValues.ofCopy),
            albums: try CommandLineTemplate("albums", in: settings, given: []),
            isRepeatable: try settings.boolean("repeatable") ?? true,
            life: .seconds(try settings.integer("timeout", in: 1...86400) ?? Self.defaultTimeout), jobs: jobs)
    }
}

public import Submit
internal import SubmitPlatform

extension LocalFileSubmitter {
    /// The type `file`, to be registered.
    public static func submitterType() -> SubmitterType {
        SubmitterType(
            name: "file", aliases: ["folder", "directory", "local", "local-file"],
            summary: "a folder on this computer, a mounted share or a card",
            capabilities: capabilities(jobs: mostJobs, usesCaptureTime: true),
            settings: [
                SettingKey("path", .path, summary: "the folder, which may begin with ~/", isRequired: true),
                SettingKey(
                    "template", .text, summary: "where items go in it, such as {year}/{month}/{name}; {name} if not set"
                ),
                SettingKey(
                    "create", .boolean,
                    summary: "make the folder if it is not there (yes if not set)"),
                SettingKey(
                    "jobs", .integer,
                    summary: "how many items are copied at once, 1 to \(mostJobs); \(defaultJobs) if not set"),
            ],
            make: { (settings) throws(SubmitFailure) in try LocalFileSubmitter(settings) })
    }

    private static let mostJobs = 16
    private static let defaultJobs = 4

    init(_ settings: DestinationSettings) throws(SubmitFailure) {
        var path = try settings.required("path")
        if path == "~" || path.hasPrefix("~/") {
            guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else {
                throw settings.invalid("path", "begins with “~”, and the environment variable HOME is not set")
            }
            path = home + path.dropFirst()
        }
        guard path.hasPrefix("/") else {
            throw settings.invalid("path", "must begin with “/” or “~/”, not “\(path)”")
        }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let jobs = try settings.integer("jobs", in: 1...Self.mostJobs) ?? Self.defaultJobs
        self.init(
            place: LocalPlace(
                root: path, creates: try settings.boolean("create") ?? true, jobs: jobs,
                destination: settings.destination, notes: settings.notes),
            template: try settings.template("template"), jobs: jobs)
    }
}

internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitPlatform
internal import SubmitRecipes
internal import SystemPackage

struct TryRecipe: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "try", abstract: "Print every request that a recipe would send for a photo, and send nothing.",
        discussion: """
            What the service would answer is not known: what is captured of it is printed as {step.capture}, and steps that \
            hang on it are printed too. Secrets are neither needed nor printed. Settings that are missing get a stand-in.
            """)

    /// Earlier versions demanded it. Nothing is ever sent.
    @Flag(help: .hidden)
    var dryRun = false

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @Option(help: "An album.")
    var album: String?

    @Option(help: "A caption.")
    var caption: String?

    @Option(help: "A tag; may be given several times.")
    var tag: [String] = []

    @Option(name: .customLong("set"), help: "A setting, as KEY=VALUE; may be given several times.")
    var settings: [String] = []

    @Argument(help: "The recipe's file, or the name of one that comes with submit.")
    var recipe: String

    @Argument(help: "A photo or a video.")
    var photo: String

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let file = try RecipeFile.found(recipe)
        // Nothing can be sent by what it makes.
        let types = try Session.catalog(over: { _ in NoTransport() }).types
        let settings = try values(for: try file.read(), file.setting)
        let type = try types.type(named: "oauth-http").refined(by: settings)
        guard let submitter = try type.make(settings) as? any RequestPlanner else {
            throw SubmitFailure.usage("“\(file.name)” cannot be tried.")
        }
        let session = try Session()
        let name = "recipe under trial"
        session.manager.add(Destination(name: name, type: type, submitter: submitter))
        let request = SubmitRequest(
            paths: try SourcePaths.resolve([photo], separator: 0x0a), destinations: [name], album: album,
            caption: caption,
            tags: tag)
        var found: MediaItem?
        var isTold = false
        try await session.manager.preview(request) { preview in
            switch preview {
            case .item(let item, let destinations):
                if let refusal = destinations.lazy.compactMap(\.refusal).first {
                    ErrorReport.tell(refusal)
                    isTold = true
                } else {
                    found = item
                }
            case .refused(_, let failure):
                ErrorReport.tell(failure)
                isTold = true
            case .leftBehind, .unchanged: break
            }
        }
        guard let item = found else {
            if isTold { throw ExitStatus.failed }
            throw SubmitFailure.usage("There is neither photo nor video in “\(photo)”: name one.")
        }
        for request in try await submitter.requests(for: item, bytes: try UnsentBytes(item), album: album) {
            show(request)
        }
    }

    /// What was set, and stand-ins for what must be.
    private func values(for recipe: Recipe, _ setting: String) throws(SubmitFailure) -> DestinationSettings {
        var values = ["recipe": setting]
        let keys = recipe.settingKeys
        for text in settings {
            guard let equals = text.firstIndex(of: "=") else {
                throw .usage("“\(text)” is no setting: say KEY=VALUE.")
            }
            let name = String(text[..<equals])
            guard let key = keys.first(where: { $0.name == name }) else {
                let hint = NearestNames.hint(for: name, among: keys.map(\.name))
                throw .usage("“\(name)” is not a setting of \(recipe.service)\(hint).")
            }
            guard key.kind != .secret else { throw .usage("“\(name)” is a secret: none is needed here.") }
            values[name] = String(text[text.index(after: equals)...])
        }
        for key in keys where key.isRequired && key.kind != .secret && values[key.name] == nil {
            values[key.name] =
                switch key.kind {
                case .url: "https://\(String(key.name.map { $0 == "_" ? "-" : $0 })).example"
                case .integer: "1"
                case .boolean: "true"
                case .choice(let words): words.first ?? ""
                default: key.name.uppercased()
                }
        }
        return DestinationSettings(destination: recipe.service, values: values)
    }

    private func show(_ request: PlannedRequest) {
        guard json else {
            // Lines of a body stay lines, and what else moves a cursor does not.
            let lines = request.description.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
            Output.line(lines.map { Printable.line(String($0)) }.joined(separator: "\n") + "\n")
            return
        }
        var object: [String: Any] = [
            "event": "would-request", "step": request.purpose, "method": request.method, "url": request.url,
            "headers": request.headers.map { [$0.name, $0.value] }, "body": request.body,
        ]
        object["note"] = request.note
        JSONOutput.print(object)
    }
}

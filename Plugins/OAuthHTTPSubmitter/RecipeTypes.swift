public import Submit
internal import SubmitConcurrency
public import SubmitHTTP
internal import SubmitPlatform
public import SubmitRecipes
internal import SystemPackage

extension RecipeSubmitter {
    /// Names that submitters of their own have; their recipes are had by `recipe` of `oauth-http`.
    private static let served: Set<String> = ["nextcloud"]

    /// `oauth-http`, and a type for each recipe that comes with the program. No recipe is read for it until its facts
    /// are asked for, or a submitter of it is made.
    public static func submitterTypes(transport: any HTTPTransport) -> [SubmitterType] {
        [submitterType(transport: transport)]
            + Recipe.shipped.filter { !served.contains($0) }.map { name in
                let recipe = LazyRecipe(name)
                return SubmitterType(
                    name: name,
                    facts: {
                        guard let recipe = try? recipe.read() else {
                            return SubmitterType.Facts(
                                summary: "Cannot be used: its recipe has faults",
                                capabilities: Capabilities(ordering: .sequential, requiresNetwork: true), settings: [])
                        }
                        return recipe.typeFacts
                    },
                    make: { (settings) throws(SubmitFailure) in
                        let read: Recipe
                        do throws(RecipeFaults) {
                            read = try recipe.read()
                        } catch {
                            throw error.failure(at: settings.destination)
                        }
                        return try RecipeSubmitter(read, settings, transport: transport)
                    })
            }
    }

    /// The type of destinations that a recipe makes.
    public static func submitterType(
        _ recipe: Recipe, origin: String = "built-in", transport: any HTTPTransport
    ) -> SubmitterType {
        SubmitterType(
            name: recipe.service, origin: origin, facts: { recipe.typeFacts },
            make: { (settings) throws(SubmitFailure) in
                try RecipeSubmitter(recipe, settings, transport: transport)
            })
    }

    /// A submitter for one destination of a recipe. Touches no network.
    ///
    /// - Throws: a failure that names the setting that is missing or wrong.
    public init(_ recipe: Recipe, _ settings: DestinationSettings, transport: any HTTPTransport) throws(SubmitFailure) {
        try self.init(recipe, settings, transport: transport, clock: { .now })
    }

    init(
        _ recipe: Recipe, _ settings: DestinationSettings, transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Timestamp,
        seal: (any CaptureCipher)? = nil
    ) throws(SubmitFailure) {
        for setting in recipe.settings where setting.isRequired && setting.kind != .secret {
            _ = try settings.required(setting.name)
        }
        for setting in recipe.settings {
            guard case .choice(let words) = setting.kind, let word = settings[setting.name], !words.contains(word)
            else {
                continue
            }
            throw settings.invalid(
                setting.name,
                "must be one of \(words.joined(separator: ", ")), not “\(word)”\(NearestNames.hint(for: word, among: words))"
            )
        }
        let hosts = try RecipeHosts(recipe, settings)
        let credentials = try RecipeCredentials(recipe, settings, hosts: hosts, transport: transport) {
            recipe.isRefusal($0)
        }
        let service = RecipeService(
            recipe: recipe, hosts: hosts, credentials: credentials, transport: transport,
            destination: settings.destination, clock: clock)
        let jobs = try settings.integer("jobs", in: 1...64)
        let login = RecipeLogin(recipe: recipe, settings: settings, hosts: hosts, transport: transport, clock: clock)
        self.init(
            service, settings, capabilities: recipe.capabilities(jobs: jobs), login: try login.facet(), seal: seal)
    }

    /// The type of destinations whose recipe is a file of one's own: `oauth-http`.
    public static func submitterType(transport: any HTTPTransport) -> SubmitterType {
        let recipe = SettingKey(
            "recipe", .text,
            summary: "The recipe's file, from / or ~/ on, or the name of one that comes with the program",
            isRequired: true)
        return SubmitterType(
            name: "oauth-http", summary: "Sends to a web service that a recipe describes",
            capabilities: Capabilities(
                ordering: .concurrent(64), supportsAlbums: true, canResume: true, requiresNetwork: true,
                digests: Set(DigestAlgorithm.allCases), usesCaptureTime: true),
            settings: [recipe] + Recipe.commonKeys,
            make: { (settings) throws(SubmitFailure) in
                let recipe = try Recipe(named: try settings.required("recipe"), settings)
                return try RecipeSubmitter(recipe, settings, transport: transport)
            }
        )
        .refining { (settings) throws(SubmitFailure) in
            guard let name = settings["recipe"] else { return nil }
            let described = try Recipe(named: name, settings)
            var facts = described.typeFacts
            facts.settings = [recipe] + facts.settings.filter { $0.name != recipe.name }
            let found = facts
            return SubmitterType(
                name: "oauth-http", facts: { found },
                make: { (settings) throws(SubmitFailure) in
                    try RecipeSubmitter(described, settings, transport: transport)
                })
        }
    }
}

/// A recipe that comes with the program, read when it is needed, and once.
private final class LazyRecipe: Sendable {
    private let name: String
    private let known = Locked<Recipe?>(nil)

    init(_ name: String) {
        self.name = name
    }

    func read() throws(RecipeFaults) -> Recipe {
        if let recipe = known.withLock({ $0 }) { return recipe }
        let recipe = try Recipe(text: Recipe.shippedText(name) ?? "", path: "\(name).yaml")
        known.withLock { $0 = recipe }
        return recipe
    }
}

extension RecipeFaults {
    fileprivate func failure(at destination: String) -> SubmitFailure {
        let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        return SubmitFailure(
            .hold(.misconfigured, after: nil), code: "recipe",
            message: "The recipe of “\(destination)” cannot be used: \(faults[0])\(more)")
    }
}

extension Recipe {
    fileprivate var typeFacts: SubmitterType.Facts {
        SubmitterType.Facts(summary: summary, capabilities: capabilities(), settings: destinationKeys)
    }

    /// A recipe that comes with the program, or a file's.
    ///
    /// - Throws: a failure with the first fault, or that there is none.
    init(named name: String, _ settings: DestinationSettings) throws(SubmitFailure) {
        let text: String
        if let shipped = Recipe.shippedText(name) {
            text = shipped
        } else if name.hasPrefix("/") || name.hasPrefix("~/"), let read = try Self.text(of: name, settings) {
            text = read
        } else {
            throw settings.invalid(
                "recipe",
                "names no file that can be read (from / or ~/ on), and no recipe that comes with the program: “\(name)”"
                    + NearestNames.hint(for: name, among: Recipe.shipped))
        }
        do throws(RecipeFaults) {
            try self.init(text: text, path: name)
        } catch {
            throw error.failure(at: settings.destination)
        }
    }

    /// At most 1 MiB of a file; `nil` where it cannot be read.
    ///
    /// - Throws: that others could have written it: it says where secrets are sent.
    private static func text(of path: String, _ settings: DestinationSettings) throws(SubmitFailure) -> String? {
        let home = path.hasPrefix("~/") ? getenv("HOME").map { String(cString: $0) } : nil
        let path = FilePath(home.map { $0 + path.dropFirst() } ?? path)
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec]) else { return nil }
        defer { try? file.close() }
        if let complaint = FileTrust.complaint(about: path, opened: file) {
            throw settings.invalid("recipe", "names “\(path)”, which is not obeyed: \(complaint)")
        }
        let bytes = try? WholeFile.bytes(of: file, most: 1 << 20)
        return bytes.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// What can be configured of its destinations, and what a login finds out for them.
    var destinationKeys: [SettingKey] {
        let keys = settingKeys
        var more = Self.commonKeys.filter { key in key.name != "insecure" || settings.contains { $0.kind == .url } }
        more += accountNames.map {
            SettingKey(RecipeNames.setting(ofAccount: $0), .text, summary: "What the login found out: \($0)")
        }
        return keys + more.filter { key in !keys.contains { $0.name == key.name } }
    }

    /// What a login keeps, besides secrets.
    var accountNames: [String] {
        let steps: [Step] =
            switch authorization {
            case .oauth2(let description): description.afterLogin
            case .oauth1(let description): description.afterLogin
            case .none, .header, .basic, .wsse: []
            }
        return steps.flatMap(\.captures).filter { !$0.isSecret }.map(\.name)
    }

    static var commonKeys: [SettingKey] {
        [
            SettingKey("jobs", .integer, summary: "How many items at once, 1 to 64"),
            SettingKey("insecure", .boolean, summary: "Whether credentials and photos may go over http"),
        ]
    }
}

import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A service of drawn features and manners, the recipe that describes it, and what is sent there.
struct ServiceWorld: DrawnWorld {
    var features = ServiceFeatures()
    var manners: Set<ServiceManner> = []
    /// Bytes of the items.
    var sizes = [1000]
    /// How many are under way at once.
    var width = 1
    /// Albums that others have.
    var albums = 0
    /// Others have the bytes of the first item.
    var isThere = false
    var troubles: [Int: ServiceTrouble] = [:]

    static func drawn(_ seed: UInt64) -> ServiceWorld {
        var numbers = SeededNumbers(seed: seed)
        var world = ServiceWorld(features: .drawn(&numbers))
        for manner in ServiceManner.allCases.shuffled(using: &numbers).prefix(.random(in: 0...5, using: &numbers))
        where world.suits(manner) {
            world.manners.insert(manner)
        }
        world.sizes = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
            [1, 299, 300, 1000, 5000].randomElement(using: &numbers)!
        }
        world.width = .random(in: 1...2, using: &numbers)
        world.albums = .random(in: 0...5, using: &numbers)
        world.isThere = Int.random(in: 0..<4, using: &numbers) == 0
        for _ in 0..<Int.random(in: 0...4, using: &numbers) {
            world.troubles[.random(in: 0..<30, using: &numbers)] = ServiceTrouble.allCases.randomElement(
                using: &numbers)
        }
        return world
    }

    /// Of these no service has two.
    private static let excluding: [Set<ServiceManner>] = [
        [.processes, .failsLater, .neverReady, .dropsSilently], [.fullBy400, .fullBy403],
        [.throttles, .throttlesUntil, .throttlesInBody, .throttlesBy403], [.namesDuplicates, .hidesDuplicates],
        [.dropsSilently, .namesDuplicates, .refusesAfterStoring], [.dropsSilently, .hidesDuplicates],
    ]

    private func suits(_ manner: ServiceManner) -> Bool {
        if Self.excluding.contains(where: { $0.contains(manner) && !$0.isDisjoint(with: manners) }) { return false }
        switch manner {
        case .forgetsKeys, .refusesUsedKeys, .burnsKeys: return features.means == .key && features.way != .draft
        case .showsLate: return !features.looksBefore
        // Where nothing tells, it cannot be told from a refusal.
        case .refusesAfterStoring: return [.look, .lookInList].contains(features.means) && features.way != .draft
        // A recipe has to say what a receipt names then, and that is a name.
        case .hidesDuplicates: return !features.looksBefore
        case .dropsSilently: return features.albums == .none
        case .losesSessions, .sessionsShowLate, .keepsHalfPieces: return features.way == .session
        // An answer on HEAD has no words by which that 403 could be known, and who says so (Imgur) has no sessions.
        case .throttlesBy403: return features.way != .session || features.resume != .ask
        default: return true
        }
    }

    var smaller: [ServiceWorld] {
        var all = manners.sorted { $0.rawValue < $1.rawValue }.flatMap { manner in changed { $0.manners.remove(manner) }
        }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        if sizes.count > 1 { all += sizes.indices.flatMap { index in changed { $0.sizes.remove(at: index) } } }
        all += changed { $0.width = 1 } + changed { $0.isThere = false }
        all += changed { $0.albums = 0 }
        all += features.smaller.flatMap { features in changed { $0.features = features } }
        return all + sizes.indices.flatMap { index in changed { $0.sizes[index] = 300 } }
    }

    var description: String {
        let manners = manners.map { ".\($0.rawValue)" }.sorted().joined(separator: ", ")
        var words = ["features: \(features.text)"]
        if !manners.isEmpty { words.append("manners: [\(manners)]") }
        words.append("sizes: \(sizes)")
        if width > 1 { words.append("width: \(width)") }
        if albums > 0 { words.append("albums: \(albums)") }
        if isThere { words.append("isThere: true") }
        if !troubles.isEmpty { words.append("troubles: \(ServiceTrouble.text(troubles))") }
        return "ServiceWorld(\(words.joined(separator: ", ")))"
    }

    // MARK: Running

    private static let album = "Summer"

    private static let recipes = Locked<[String: Recipe]>([:])

    /// Read once: that takes longer than what is done with it.
    private static func recipe(_ text: String) throws -> Recipe {
        if let known = recipes.withLock({ $0[text] }) { return known }
        let recipe = try Recipe(text: text, path: "drawn.yaml")
        recipes.withLock { $0[text] = recipe }
        return recipe
    }

    func run() async throws -> [String] {
        let clock = TestClock()
        let service = DrawnService(features, manners, clock)
        let sources = sizes.indices.map { index in
            ScriptedBytes(ScriptedBytes.content(count: sizes[index], seed: UInt64(index + 1)))
        }
        for number in 0..<albums { service.putAlbum(number == 4 ? Self.album : "Other \(number)") }
        service.put(ScriptedBytes.content(count: 70, seed: 77))
        if isThere { service.put(sources[0].content) }
        let before = service.items
        let recipe = try Self.recipe(features.recipe(manners))
        let store = TransientSecrets()
        let wire = ServiceWire(service, troubles)
        let make = { (transport: any HTTPTransport) throws(SubmitFailure) in
            try RecipeSubmitter(
                recipe,
                DestinationSettings(
                    destination: "mine-\(ObjectIdentifier(service).hashValue)", values: ["server": FakeService.url],
                    secrets: ["api_key": DrawnService.key], secretStore: store),
                transport: transport, clock: { clock.now })
        }
        let errand = ServiceErrand(
            sources: sources, width: width, album: features.albums != .none ? Self.album : nil, clock: clock)
        let ends = try await errand.run(over: wire, signIn: { service.signIn() }, make)
        var oracle = ServiceOracle(
            world: self, service: service, wire: wire, errand: errand, ends: ends, before: before)
        oracle.judge()
        try await oracle.judgeLater(try make(SendingProcess(ServiceWire(service, [:]))), album: Self.album)
        return oracle.complaints
    }
}

public import Submit
public import SubmitEngine
package import SubmitHTTP
public import SubmitJournal
internal import SystemPackage

/// The destinations there are: configured ones, those that the program adds, and one for each type that needs no
/// configuration or gets all of it from the environment.
///
/// All that are made of one catalogue share its transport, so that two of them at one host keep to its pace together.
///
/// ```swift
/// let journal = try Journal(path: Places().journal)
/// var catalog = try DestinationCatalog(program: ProgramIdentity("albums", version: "1.0"), journal: journal)
/// let manager = SubmitManager(store: journal.store, registry: catalog.types.registry)
/// manager.add(try catalog.destination("file"))
/// let server = ["url": "https://nas.example/photos/", "user": "alice"]
/// manager.add(try catalog.addDestination("nas", type: "webdav", settings: server, secrets: ["password": password]))
/// ```
public struct DestinationCatalog: Sendable {
    /// What the configuration says, and what was added.
    public internal(set) var file: ConfigurationFile
    /// Where it lies.
    public let places: AppPaths
    /// The types of destinations there are.
    public let types: TypeCatalog
    /// Where secrets are kept.
    package let credentials: CredentialStore
    /// What requests go through; `nil` where no types of ours are there.
    var transport: (any HTTPTransport)?
    /// Of destinations that are not configured.
    var givenSecrets: [String: [String: String]] = [:]
    let journal: LazyJournal

    /// Reads the configuration.
    ///
    /// - Parameters:
    ///   - program: what servers, and programs that are submitters, are told who asks.
    ///   - places: where configuration, secrets and journal lie; without: where those of this process's user do.
    ///   - journal: keeps what submitters note of their servers; without: the one that `places` names, opened when the
    ///     first of them has something to note.
    ///   - types: more types than those that come with this package.
    ///   - secrets: where the secrets of destinations are kept; without: where the configuration says.
    ///   - passphrase: asks a person for the passphrase of an encrypted secrets file; without: nobody is asked.
    /// - Throws: a failure to give up with: one sentence on what is wrong with the configuration or the secrets file, and
    ///   where; for two types with one name.
    public init(
        program: ProgramIdentity, places: AppPaths = AppPaths(), journal: Journal? = nil, types: [SubmitterType] = [],
        secrets: (any SecretBackend)? = nil, passphrase: @escaping Passphrase.Question = { _ in nil }
    ) throws(SubmitFailure) {
        try self.init(
            program, places, journal.map { LazyJournal($0) } ?? LazyJournal(places.journal), adding: types,
            secrets: secrets, passphrase: passphrase)
    }

    /// - Parameter wrap: what requests shall go through besides.
    package init(
        _ program: ProgramIdentity, _ places: AppPaths, _ journal: LazyJournal, adding types: [SubmitterType] = [],
        secrets: (any SecretBackend)? = nil, passphrase: @escaping Passphrase.Question,
        over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws(SubmitFailure) {
        let file = try ConfigurationFile.read(places.configuration)
        // The network's settings stand in the same file as the destinations, which need the transport.
        let network = try NetworkSettings(file, program)
        let transport = wrap(PacingTransport(TracingTransport(LazyCurlTransport(network.configuration))))
        let registry = try SubmitterRegistry(BuiltInTypes.all(transport: transport) + types)
        try self.init(
            file, places, TypeCatalog(registry, places, host: program, passing: file.passedVariables), journal,
            secrets: secrets, passphrase: passphrase)
        self.transport = transport
    }

    package init(places: AppPaths, types: TypeCatalog, journal: LazyJournal) throws(SubmitFailure) {
        try self.init(
            ConfigurationFile.read(places.configuration), places, types, journal, secrets: nil, passphrase: { _ in nil }
        )
    }

    private init(
        _ file: ConfigurationFile, _ places: AppPaths, _ types: TypeCatalog, _ journal: LazyJournal,
        secrets: (any SecretBackend)?, passphrase: @escaping Passphrase.Question
    ) throws(SubmitFailure) {
        self.journal = journal
        self.places = places
        self.types = types
        self.file = file
        credentials = try CredentialStore(places, file, own: secrets, ask: passphrase)
        try credentials.check()
    }

    /// All names: configured ones, and those of built-in types.
    public var names: [String] {
        Set(file.destinations.keys).union(types.builtIn.map(\.name)).sorted()
    }

    /// Whether it stands in the configuration, or was added.
    public func isConfigured(_ name: String) -> Bool { file.destinations[name] != nil }

    /// The type behind a destination's name. Of what it names, such as a recipe, the trouble is told with file and line.
    ///
    /// The calling thread waits for a program that is a submitter, as ``TypeCatalog/type(named:)`` says.
    ///
    /// - Throws: as ``TypeCatalog/type(named:)``; what is wrong with what the settings name, such as a recipe that cannot be
    ///   read.
    public func type(of name: String) throws(SubmitFailure) -> SubmitterType {
        guard let entry = file.destinations[name] else { return try types.type(named: name) }
        if entry.lacksType, (try? types.canonicalName(name)) == nil {
            throw file.complaint(
                entry.line,
                "“\(name)” has no type: add “type: file” for a folder, or “type: webdav” for a WebDAV server.")
        }
        let type = try located(entry.type.line) { () throws(SubmitFailure) in try types.type(named: entry.type.text) }
        return try located(entry.line) { () throws(SubmitFailure) in
            try type.refined(by: DestinationSettings(destination: name, values: configured(name)))
        }
    }

    /// Puts file and line before what is wrong, unless nothing is written there.
    func located<Value>(
        _ line: Int?, _ body: () throws(SubmitFailure) -> Value
    ) throws(SubmitFailure) -> Value {
        do throws(SubmitFailure) {
            return try body()
        } catch {
            guard let line, line > 0 else { throw error }
            throw SubmitFailure(error.remedy, code: error.code, message: "\(file.path):\(line): \(error.message)")
        }
    }

    func configured(_ name: String) -> [String: String] {
        file.destinations[name]?.values.mapValues(\.text) ?? [:]
    }

    /// Whether a destination's submitter is a program of its own, which has to be started to be made.
    package func isExternal(_ name: String) -> Bool {
        types.isExternal(file.destinations[name]?.type.text ?? name)
    }

    /// The destination's own name: a type may be called by any of its names, and a folder by its path.
    ///
    /// - Throws: `unknown-destination`, to give up with, when there is none, with the nearest names; a failure that says what
    ///   to take instead for a service that is no more; `folder-not-added` for the path of a folder that is no destination's; `untrusted`, which puts the destination on hold as misconfigured, for a program that is not
    ///   used.
    public func canonicalName(_ name: String) throws(SubmitFailure) -> String {
        if isConfigured(name) { return name }
        if let folder = FolderPath(named: name, places) {
            if let known = destination(at: folder) { return known }
            throw SubmitFailure(
                .giveUp, code: "folder-not-added", message: "“\(folder)” is a folder, not a destination.")
        }
        do throws(SubmitFailure) {
            return try types.canonicalName(name)
        } catch {
            let isOther = KnownServices.codes.contains(error.code) && !KnownServices.mayBeFolder(name)
            if isOther || name.contains("/") { throw error }
            throw SubmitFailure(
                .giveUp, code: "unknown-destination",
                message: "There is no destination “\(name)”\(NearestNames.hint(for: name, among: names)).")
        }
    }

    /// Makes the destination of this name. Nothing else that the configuration says can be in its way.
    ///
    /// No network is touched. The calling thread waits for programs: one that prints a secret, and one that is a submitter,
    /// which may take up to 10 seconds to say what it is and 30 to be made.
    ///
    /// - Throws: as ``canonicalName(_:)`` and ``type(of:)``; `configuration`, which puts the destination on hold as misconfigured or is to be given
    ///   up with, when a setting is missing or wrong, with file and line or how to set it; `secrets` or `passphrase` when its
    ///   secrets cannot be read.
    public func destination(_ name: String) throws(SubmitFailure) -> Destination { try destination(name, notes: nil) }

    /// - Parameter notes: what its submitter may remember; `nil` for the journal's.
    package func destination(
        _ name: String, notes: (any DestinationNotes)?
    ) throws(SubmitFailure) -> Destination {
        let name = try canonicalName(name)
        let type = try checkedType(of: name)
        let settings = try settings(name, type, notes: notes)
        let limits = try limits(of: name)
        let (rendition, visibility) = (try rendition(of: name), try visibility(of: name, type))
        return try located(file.destinations[name]?.line) { () throws(SubmitFailure) in
            var destination = Destination(
                name: name, type: type, submitter: try type.make(settings), settings: settings)
            destination.limits = limits
            destination.rendition = rendition
            destination.pixels = Self.pixels
            destination.posters = Self.posters
            destination.credit = credit
            if let visibility { destination.visibility = visibility }
            return destination
        }
    }

    /// Why some of these destinations, which have something waiting, cannot be used at all, as far as that can be told without
    /// starting a program.
    package func unusable(_ names: Set<String>) -> [String: SubmitFailure] {
        var reasons: [String: SubmitFailure] = [:]
        for name in names where !isExternal(name) {
            guard (try? canonicalName(name)) != nil else {
                reasons[name] = SubmitFailure(
                    .giveUp, code: "not-configured",
                    message:
                        "“\(name)” is not configured here: the program that sends to it goes on with it, or add it, or cancel what it "
                        + "is waiting.")
                continue
            }
            do throws(SubmitFailure) {
                _ = try destination(name)
            } catch {
                reasons[name] = error
            }
        }
        return reasons
    }

    /// The type of a destination all of whose keys are its own.
    func checkedType(of name: String) throws(SubmitFailure) -> SubmitterType {
        guard let entry = file.destinations[name] else { return try type(of: name) }
        if let twin = twin(of: name) {
            throw file.complaint(entry.line, "\(Self.sharing(name, twin)): rename one of them.")
        }
        let type = try type(of: name)
        try check(
            entry, type, "the destination “\(name)”",
            general: ConfigurationFile.generalKeys + ["type", Self.visibility])
        return type
    }

    /// - Parameter general: keys that it may have besides.
    /// - Throws: where a key of it is none, or has a value that it cannot have.
    func check(
        _ entry: ConfigurationFile.Entry, _ type: SubmitterType, _ what: String, general: [String]
    ) throws(SubmitFailure) {
        for (key, value) in entry.values.sorted(by: { $0.value.line < $1.value.line }) {
            switch type.fault(of: key, value.text) {
            case nil: continue
            case .unknown where general.contains(key): continue
            case .unknown:
                throw file.unknown(
                    ConfigurationFile.Value(text: key, line: value.line),
                    among: type.settings.filter { $0.kind != .secret }.map(\.name) + general, of: what)
            case .secret(let key):
                throw file.complaint(
                    value.line,
                    "“\(key.name)” is a secret and must not stand here: put it into \(places.secrets) or the environment, "
                        + "or name a program that prints it in “\(key.commandKey)”.")
            case .value(let complaint): throw file.complaint(value.line, complaint)
            }
        }
    }

    /// The names that the configuration gives for where none is named.
    ///
    /// - Throws: as ``canonicalName(_:)``, with file and line, for one that is no destination.
    public func defaults() throws(SubmitFailure) -> [String] {
        var names: [String] = []
        for name in file.defaults {
            names.append(try located(name.line) { () throws(SubmitFailure) in try canonicalName(name.text) })
        }
        return names
    }
}

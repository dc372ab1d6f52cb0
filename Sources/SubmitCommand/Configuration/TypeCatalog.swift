internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitPluginHost
internal import SystemPackage

/// The types of destinations there are: those built in, and the programs on this machine that are submitters.
struct TypeCatalog: Sendable {
    let registry: SubmitterRegistry
    private let programs: ExternalPrograms
    private let places: Places
    /// What programs said of themselves, so that each is asked once.
    private let described = Locked<[FilePath: SubmitterType]>([:])

    init(_ registry: SubmitterRegistry, _ places: Places) {
        self.registry = registry
        self.places = places
        programs = ExternalPrograms(in: places.programFolders)
    }

    /// Asks all types for their settings: only programs need that.
    private var surroundings: ProgramSurroundings {
        let secrets = registry.types.flatMap(\.settings).filter { $0.kind == .secret }.flatMap(\.environment)
        return ProgramSurroundings(
            host: "submit \(SubmitCommand.version)", environment: places.environment, secretVariables: Set(secrets))
    }

    var builtIn: [SubmitterType] { registry.types }

    /// The programs, sorted by name, without those whose name is that of a built-in type.
    var external: [ExternalProgram] {
        programs.programs.filter { program in (try? registry.type(named: program.name)) == nil }
    }

    /// Why some programs that have the name of a submitter are not used.
    var unused: [(program: ExternalProgram, reason: String)] {
        programs.unused.map { ($0.program, $0.reason) }
    }

    /// Whether a name that is none is nearly that of a built-in type.
    func isMistyped(_ name: String) -> Bool {
        !NearestNames.nearest(to: name, among: builtIn.flatMap { [$0.name] + $0.aliases }).isEmpty
    }

    func isExternal(_ name: String) -> Bool {
        (try? registry.type(named: name)) == nil && program(named: name) != nil
    }

    /// A type's own name for any of the names people give it, or a program's whole path. Starts no program.
    ///
    /// - Throws: when there is none, with the nearest names.
    func canonicalName(_ name: String) throws(SubmitFailure) -> String {
        guard isExternal(name), let program = program(named: name) else { return try builtInType(named: name).name }
        return name.contains("/") ? program.path.string : program.name
    }

    /// The type of this name, or of the program at this path.
    ///
    /// - Throws: when there is none, with the nearest names; when a program cannot be used, with why.
    func type(named name: String) throws(SubmitFailure) -> SubmitterType {
        guard isExternal(name), let program = program(named: name) else { return try builtInType(named: name) }
        return try type(of: program)
    }

    /// What a program says of itself.
    func type(of program: ExternalProgram) throws(SubmitFailure) -> SubmitterType {
        if let type = described.withLock({ $0[program.path] }) { return type }
        let type = try program.submitterType(surroundings)
        described.withLock { $0[program.path] = type }
        return type
    }

    private func program(named name: String) -> ExternalProgram? {
        guard name.contains("/") else { return programs.programs.first { $0.name == name.lowercased() } }
        let path = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(name)).lexicallyNormalized()
        let file = path.lastComponent?.string ?? name
        return ExternalProgram(name: file.hasPrefix("submit-to-") ? String(file.dropFirst(10)) : file, path: path)
    }

    private func builtInType(named name: String) throws(SubmitFailure) -> SubmitterType {
        do throws(SubmitFailure) {
            return try registry.type(named: name)
        } catch {
            if let reason = programs.unused.first(where: { $0.program.name == name })?.reason {
                throw SubmitFailure(.park(.misconfigured, afterMilliseconds: nil), code: "untrusted", reason)
            }
            let names = builtIn.flatMap { [$0.name] + $0.aliases } + external.map(\.name)
            throw SubmitFailure(
                error.remedy, code: error.code,
                "There is no type “\(name)”\(NearestNames.hint(for: name, among: names)); `submit types` lists them, and "
                    + "a program “submit-to-\(name)” on PATH would be one.")
        }
    }
}

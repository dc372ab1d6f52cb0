internal import Foundation
public import Submit
internal import SubmitConcurrency
public import SubmitEngine
package import SubmitPluginHost
internal import SystemPackage

/// The types of destinations there are: those built in, and the programs on this machine that are submitters.
public struct TypeCatalog: Sendable {
    /// Those that are part of this program.
    public let registry: SubmitterRegistry
    private let programs: ExternalPrograms
    private let surroundings: ProgramEnvironment
    /// What programs said of themselves, or why they cannot be used.
    private let described = Locked<[FilePath: Description]>([:])

    /// What one program says of itself. Whoever asks while it is being asked waits for the same answer.
    private typealias Description = Locked<Result<SubmitterType, SubmitFailure>?>

    /// - Parameters:
    ///   - host: what programs that are submitters are told who runs them.
    ///   - passed: the names of variables that programs are given besides, by the program's file name.
    package init(
        _ registry: SubmitterRegistry, _ places: AppPaths, host: ProgramIdentity,
        passing passed: [String: Set<String>] = [:]
    ) {
        self.registry = registry
        surroundings = ProgramEnvironment(
            host: "\(host.name) \(host.version)", environment: places.environment,
            passing: passed.merging(Self.ofBridges) { $0.union($1) })
        programs = ExternalPrograms(in: places.programFolders)
    }

    /// The variables that a bridge of this package takes from whoever uses its program without it.
    private static let ofBridges: [String: Set<String>] = [
        "submit-to-rclone": ["RCLONE_CONFIG", "RCLONE_CONFIG_PASS"]
    ]

    /// Those that are part of this program, in the order they were registered in.
    public var builtIn: [SubmitterType] { registry.types }

    /// The programs, sorted by name, without those whose name is that of a built-in type.
    package var external: [ExternalProgram] {
        programs.programs.filter { program in (try? registry.type(named: program.name)) == nil }
    }

    /// Why some programs that have the name of a submitter are not used.
    package var unused: [(program: ExternalProgram, reason: String)] {
        programs.unused.map { ($0.program, $0.reason) }
    }

    /// Whether it is the name of a program.
    package func isExternal(_ name: String) -> Bool {
        (try? registry.type(named: name)) == nil && program(named: name) != nil
    }

    /// A type's own name for any of the names people give it, or a program's whole path. Starts no program.
    ///
    /// - Throws: when there is none, with the nearest names.
    package func canonicalName(_ name: String) throws(SubmitFailure) -> String {
        guard isExternal(name), let program = program(named: name) else { return try builtInType(named: name).name }
        return name.contains("/") ? program.path.string : program.name
    }

    /// The type of this name, or of the program at this path.
    ///
    /// A program is started to be asked what it is, once; the calling thread waits for its answer, for 10 seconds at most.
    ///
    /// - Throws: `unknown-type`, to give up with, when there is none, with the nearest names; a failure that puts the destination on hold as
    ///   misconfigured when a program cannot be used, with why.
    public func type(named name: String) throws(SubmitFailure) -> SubmitterType {
        guard isExternal(name), let program = program(named: name) else { return try builtInType(named: name) }
        return try type(of: program)
    }

    /// What a program says of itself. It is asked once, also where it has no answer.
    package func type(of program: ExternalProgram) throws(SubmitFailure) -> SubmitterType {
        let description = described.withLock { described in
            let description = described[program.path] ?? Description(nil)
            described[program.path] = description
            return description
        }
        return try description.withLock { result in
            if let result { return result }
            let new: Result<SubmitterType, SubmitFailure>
            do throws(SubmitFailure) {
                new = .success(try program.submitterType(surroundings))
            } catch {
                new = .failure(error)
            }
            result = new
            return new
        }.get()
    }

    private func program(named name: String) -> ExternalProgram? {
        guard name.contains("/") else { return programs.programs.first { $0.name == name.lowercased() } }
        guard let program = ExternalProgram(path: Self.path(name)), program.distrust == nil else { return nil }
        return program
    }

    private static func path(_ name: String) -> FilePath {
        FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(name)).lexicallyNormalized()
    }

    /// Why a path leads to no program that is used.
    private static func complaint(ofPath name: String) -> SubmitFailure {
        let path = path(name)
        let reason =
            ExternalProgram(path: path)?.distrust
            ?? "“\(path)” can't be used as a type: a program for that is called submit-to-TYPE, and TYPE is lower-case letters, "
            + "digits and “-”."
        return SubmitFailure(.hold(.misconfigured, after: nil), code: "untrusted", message: reason)
    }

    private func builtInType(named name: String) throws(SubmitFailure) -> SubmitterType {
        if name.contains("/") { throw Self.complaint(ofPath: name) }
        do throws(SubmitFailure) {
            return try registry.type(named: name)
        } catch {
            if let reason = programs.unused.first(where: { $0.program.name == name })?.reason {
                throw SubmitFailure(.hold(.misconfigured, after: nil), code: "untrusted", message: reason)
            }
            if let failure = KnownServices.failure(on: name) { throw failure }
            let names = builtIn.flatMap { [$0.name] + $0.aliases } + external.map(\.name)
            throw SubmitFailure(
                error.remedy, code: error.code,
                message:
                    "There is no type “\(name)”\(NearestNames.hint(for: name, among: names)); a program “submit-to-\(name)” on PATH "
                    + "would be one.")
        }
    }
}

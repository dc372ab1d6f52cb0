public import Submit
internal import SubmitPluginProtocol
public import SystemPackage

/// A program on this machine that is a submitter.
public struct ExternalProgram: Sendable, Hashable {
    /// The type's name: what stands behind `submit-to-`.
    public let name: String
    /// Where it is.
    public let path: FilePath

    /// A program of any file name, as the type of this name. Nothing is run, or looked for at the path.
    public init(name: String, path: FilePath) {
        self.name = name
        self.path = path
    }

    /// The program at this path. `nil` for a file that is not called `submit-to-` and the name of a type.
    public init?(path: FilePath) {
        guard let file = path.lastComponent?.string, file.hasPrefix(PluginProtocol.programPrefix) else { return nil }
        let name = String(file.dropFirst(PluginProtocol.programPrefix.count))
        guard name.isTypeName else { return nil }
        self.init(name: name, path: path)
    }

    /// Runs the program, asks what it is, and gives the type that it says it is.
    ///
    /// The calling thread waits for the answer, which comes within 10 seconds; what it waits for runs on threads of
    /// its own and never on those that tasks run on, so that waiting here blocks no one else for ever. The process
    /// stays for the first submitter that is made of the type and ends when there is none.
    ///
    /// `SubmitterType.make(_:)` of the type waits in the same way, at most 10 and 30 seconds.
    ///
    /// - Throws: a failure that puts the destination on hold as misconfigured when the program cannot be run or does not keep to the protocol.
    public func submitterType(_ surroundings: ProgramEnvironment) throws(SubmitFailure) -> SubmitterType {
        let launcher = ProgramLauncher(program: self, surroundings: surroundings)
        let process = try launcher.started()
        let description: TypeDescription
        do throws(SubmitFailure) {
            description = try process.greetBlocking()
        } catch {
            process.letGo()
            throw error
        }
        let waiting = WaitingProcess(process)
        return SubmitterType(
            name: name, summary: description.summary, origin: path.string, capabilities: description.capabilities,
            settings: surroundings.narrowed(description.settings, of: self)
        ) { (settings) throws(SubmitFailure) in
            try launcher.makeSubmitter(settings, description, waiting.take())
        }
    }

    /// Runs the program, asks what it is, and gives a submitter for one destination.
    ///
    /// For tasks: what ``submitterType(_:)`` and `SubmitterType.make(_:)` hold their thread for, this waits for without
    /// one.
    ///
    /// - Throws: as those two.
    public func submitter(
        _ settings: DestinationSettings, _ surroundings: ProgramEnvironment
    ) async throws(SubmitFailure) -> any Submitter {
        try await ProgramLauncher(program: self, surroundings: surroundings).newSubmitter(settings)
    }
}

extension String {
    /// Lower-case letters, digits and `-`, and at least one of them.
    var isTypeName: Bool {
        !isEmpty && utf8.count <= 64
            && utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }
}

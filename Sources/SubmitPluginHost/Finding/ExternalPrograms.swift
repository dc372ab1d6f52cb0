internal import Submit
internal import SubmitPlatform
internal import SubmitPluginProtocol
public import SystemPackage

/// The programs that are submitters in some folders. Nothing is run to find them.
public struct ExternalPrograms: Sendable, Hashable {
    /// A program that has the right name and is not used.
    public struct Unused: Sendable, Hashable {
        /// The program, which was not run.
        public let program: ExternalProgram
        /// One sentence: why, and what to do.
        public let reason: String
    }

    /// Those to use, sorted by name: of each name the first.
    public private(set) var programs: [ExternalProgram] = []
    /// Those that may not be executed, and those that others than root and this user could have put there or can write
    /// to, in the order of the folders.
    public private(set) var unused: [Unused] = []

    /// Looks into folders, the best first. Those that are not absolute or not there are passed over.
    public init(in folders: [FilePath]) {
        var found: [String: ExternalProgram] = [:]
        var seen: Set<FilePath> = []
        for folder in folders where folder.isAbsolute && seen.insert(folder.lexicallyNormalized()).inserted {
            for program in Self.programs(in: folder) where found[program.name] == nil {
                if let reason = program.distrust {
                    unused.append(Unused(program: program, reason: reason))
                } else {
                    found[program.name] = program
                }
            }
        }
        programs = found.values.sorted { $0.name < $1.name }
    }

    /// The folders of a `PATH`, without the empty and the relative ones: the current folder is anyone's.
    public static func folders(ofPath path: String) -> [FilePath] {
        path.split(separator: ":").filter { $0.hasPrefix("/") }.map { FilePath(String($0)) }
    }

    /// What has the name of a submitter, sorted by name.
    private static func programs(in folder: FilePath) -> [ExternalProgram] {
        guard let stream = folder.withPlatformString({ opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var programs: [ExternalProgram] = []
        while let entry = readdir(stream) {
            let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // The name first: a folder of programs holds thousands, and every start of ours looks at them.
            guard let file, file.hasPrefix(PluginProtocol.programPrefix),
                let program = ExternalProgram(path: folder.appending(file)), isFile(program.path)
            else { continue }
            programs.append(program)
        }
        return programs.sorted { $0.name < $1.name }
    }

    private static func isFile(_ path: FilePath) -> Bool {
        var status = stat()
        return path.withPlatformString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

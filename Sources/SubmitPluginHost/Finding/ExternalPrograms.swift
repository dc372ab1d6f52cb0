internal import Glibc
internal import Submit
internal import SubmitPluginProtocol
public import SystemPackage

/// The programs that are submitters in some folders. Nothing is run to find them.
public struct ExternalPrograms: Sendable, Hashable {
    /// A program that has the right name and is not used.
    public struct Unused: Sendable, Hashable {
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
                if let reason = Self.distrust(of: program.path, in: folder) {
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
            guard let file, file.hasPrefix(PluginProtocol.programPrefix) else { continue }
            let name = String(file.dropFirst(PluginProtocol.programPrefix.count))
            let path = folder.appending(file)
            guard name.isTypeName, isFile(path) else { continue }
            programs.append(ExternalProgram(name: name, path: path))
        }
        return programs.sorted { $0.name < $1.name }
    }

    private static func isFile(_ path: FilePath) -> Bool {
        var status = stat()
        return path.withPlatformString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Why a program is not to be run: whoever can write to it, or to where it is, would be us.
    private static func distrust(of path: FilePath, in folder: FilePath) -> String? {
        if path.withPlatformString({ access($0, X_OK) }) != 0 {
            return "“\(path)” is not used: it may not be executed; `chmod +x` it."
        }
        if let complaint = complaint(of: folder) {
            return "“\(path)” is not used: its folder \(complaint)."
        }
        guard let real = path.withPlatformString({ realpath($0, nil) }) else {
            return "“\(path)” is not used: it cannot be looked at."
        }
        defer { free(real) }
        let target = FilePath(platformString: real)
        if let complaint = complaint(of: target) {
            return "“\(path)” is not used: it \(complaint)."
        }
        if let complaint = complaint(of: target.removingLastComponent()) {
            return "“\(path)” is not used: the folder of the file that it leads to \(complaint)."
        }
        return nil
    }

    private static func complaint(of path: FilePath) -> String? {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return "cannot be looked at" }
        if status.st_uid != getuid(), status.st_uid != 0 {
            return "belongs to another user; `chown` it if you trust what is in it"
        }
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
            return "can be written to by others; `chmod go-w` it if you trust what is in it"
        }
        return nil
    }
}

extension String {
    /// Lower-case letters, digits and `-`, and at least one of them.
    var isTypeName: Bool {
        !isEmpty && utf8.count <= 64
            && utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }
}

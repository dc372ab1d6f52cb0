internal import Foundation
internal import Submit
internal import SystemPackage

/// Paths as the user gave them, as absolute ones.
enum SourcePaths {
    /// - Parameters:
    ///   - arguments: as parsed; `-` stands for a list on standard input.
    ///   - separator: between the names of that list.
    static func resolve(_ arguments: [String], separator: UInt8) throws(SubmitFailure) -> [FilePath] {
        let folder = FilePath(FileManager.default.currentDirectoryPath)
        var typed = typedArguments()
        var paths: [FilePath] = []
        for argument in arguments {
            if argument == "-" {
                do throws(Errno) {
                    paths += try list(.standardInput, separator).map { folder.pushing($0) }
                } catch {
                    throw .usage(
                        "The list of names on standard input cannot be read (\(error)): give it a pipe or a file.")
                }
            } else if argument.isEmpty {
                throw SubmitFailure(
                    .giveUp, code: "usage", message: "One of the paths is empty: check for unset variables.")
            } else {
                paths.append(folder.pushing(asTyped(argument, &typed)))
            }
        }
        return paths
    }

    /// - Parameter lists: files with names; `-` is standard input.
    static func listed(in lists: [String], separator: UInt8) throws(SubmitFailure) -> [FilePath] {
        let folder = FilePath(FileManager.default.currentDirectoryPath)
        var paths: [FilePath] = []
        for name in lists {
            let names: [FilePath]
            do throws(Errno) {
                if name == "-" {
                    names = try list(.standardInput, separator)
                } else {
                    let file = try opened(name)
                    defer { try? file.close() }
                    names = try list(file, separator)
                }
            } catch {
                throw .usage(
                    "The list of names “\(name)” cannot be read (\(error)): check its name and its permissions.")
            }
            paths += names.map { folder.pushing($0) }
        }
        return paths
    }

    private static func opened(_ name: String) throws(Errno) -> FileDescriptor {
        do {
            return try FileDescriptor.open(FilePath(name), .readOnly, options: [.closeOnExec])
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// A name that is not UTF-8 was repaired on its way here, and several may look the same then: takes the bytes that
    /// the shell gave, one after the other.
    private static func asTyped(_ argument: String, _ typed: inout [String: [FilePath]]) -> FilePath {
        guard typed[argument]?.isEmpty == false else { return FilePath(argument) }
        return typed[argument]?.removeFirst() ?? FilePath(argument)
    }

    private static func typedArguments() -> [String: [FilePath]] {
        var typed: [String: [FilePath]] = [:]
        for index in 1..<Int(max(1, CommandLine.argc)) {
            guard let raw = CommandLine.unsafeArgv[index] else { continue }
            let text = String(cString: raw)
            if text.unicodeScalars.contains("\u{fffd}") {
                typed[text, default: []].append(FilePath(platformString: raw))
            }
        }
        return typed
    }

    private static func list(_ file: FileDescriptor, _ separator: UInt8) throws(Errno) -> [FilePath] {
        let bytes = try WholeFile.bytes(of: file)
        return (bytes ?? []).split(separator: separator).map { name in
            (name + [0]).withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CInterop.PlatformChar.self) { characters in
                    characters.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
                }
            }
        }
    }
}

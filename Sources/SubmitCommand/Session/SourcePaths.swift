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
        var paths: [FilePath] = []
        for argument in arguments {
            if argument == "-" {
                paths += list(separator).map { folder.pushing($0) }
            } else if argument.isEmpty {
                throw SubmitFailure(.giveUp, code: "usage", "One of the paths is empty: check for unset variables.")
            } else {
                paths.append(folder.pushing(asTyped(argument)))
            }
        }
        return paths
    }

    /// A name that is not UTF-8 was repaired on its way here: takes the bytes the shell gave.
    private static func asTyped(_ argument: String) -> FilePath {
        guard argument.unicodeScalars.contains("\u{fffd}") else { return FilePath(argument) }
        for index in 1..<Int(max(1, CommandLine.argc)) {
            if let raw = CommandLine.unsafeArgv[index], String(cString: raw) == argument {
                return FilePath(platformString: raw)
            }
        }
        return FilePath(argument)
    }

    private static func list(_ separator: UInt8) -> [FilePath] {
        FileHandle.standardInput.readDataToEndOfFile().split(separator: separator).map { name in
            (name + [0]).withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CInterop.PlatformChar.self) { characters in
                    characters.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
                }
            }
        }
    }
}

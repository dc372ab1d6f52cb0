import Foundation

/// The program exiftool, which knows what stands in photos.
enum ExifTool {
    /// Its output.
    ///
    /// - Parameter common: what counts for each of the commands in `arguments`.
    static func run(_ arguments: [String], common: [String] = []) throws -> Data {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["exiftool", "-@", "-"] + (common.isEmpty ? [] : ["-common_args"] + common)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(arguments.joined(separator: "\n").utf8))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return answer
    }

    static func facts(_ arguments: [String]) throws -> [[String: Any]] {
        try JSONSerialization.jsonObject(with: run(["-j", "-G1"] + arguments)) as? [[String: Any]] ?? []
    }
}

import Submit
import SystemPackage

/// Walks one path of the package so many times, for `Tests/Benchmarks/instructions.py` to count its instructions:
/// `CountedPaths PATH COUNT FOLDER`, with an empty folder and a count of at most ``most``.
///
/// What comes before the path is the same for every count, so that the difference of two is the path's alone.
@main enum CountedPaths {
    static let most = 2000

    private static let paths: [String: @Sendable (Int, FilePath) async throws -> Void] = [
        "accept": EnginePaths.accept, "pay": EnginePaths.pay, "settle": settle, "put": ObjectStoragePaths.put,
        "list": ObjectStoragePaths.list, "heads": heads, "copy": copy,
        "tell": tell,
    ]

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let path = paths[arguments[1]], let count = Int(arguments[2]),
            (1...most).contains(count)
        else {
            print(paths.keys.sorted().joined(separator: "\n"))
            return
        }
        try await path(count, FilePath(arguments[3]))
    }
}

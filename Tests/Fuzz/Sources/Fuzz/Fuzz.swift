internal import Glibc

/// What reads strangers' bytes, by name.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "configuration": fuzzConfiguration,
    "couchdb": fuzzCouchDB,
    "dav": fuzzDAV,
    "http": fuzzHTTP,
    "lines": fuzzLines,
    "loopback": fuzzLoopBack,
    "media": fuzzMedia,
    "paths": fuzzPaths,
    "questions": fuzzQuestions,
    "receiving": fuzzReceiving,
    "recipes": fuzzRecipes,
    "renditions": fuzzRenditions,
    "s3": fuzzS3,
    "swift": fuzzSwift,
    "tables": fuzzTables,
    "xml": fuzzXML,
]

/// libFuzzer starts the program again with other arguments, so that the target's name is none of them.
private let target = getenv("FUZZ_TARGET").map { String(cString: $0) }.flatMap { targets[$0] }

@main
private enum Fuzz {
    /// libFuzzer's own main function cannot be had: the package manager makes one of this.
    static func main() {
        guard target != nil else {
            print("FUZZ_TARGET must be one of \(targets.keys.sorted().joined(separator: ", ")).")
            exit(2)
        }
        var count = CommandLine.argc
        var arguments = Optional(CommandLine.unsafeArgv)
        exit(runFuzzer(&count, &arguments, fuzz))
    }
}

/// "Using libFuzzer as a library" in LLVM's documentation.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ fuzz: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Whatever the bytes are: it must end, and without a fall.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target?(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

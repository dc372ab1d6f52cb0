import Submit
import SystemPackage

/// Fills a journal with drawn pictures, and measures what questions to them cost, for `Tests/Benchmarks/questions.py`:
/// `CatalogueQuestions fill JOURNAL PICTURES SEED` and `CatalogueQuestions ask JOURNAL SEED [NAME]`, of which only questions are
/// asked that have this in their names.
@main enum CatalogueQuestions {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "fill":
            guard arguments.count == 4, let count = Int(arguments[2]), let seed = UInt64(arguments[3]) else { break }
            try await Filling(FilePath(arguments[1])).fill(count, DrawnLibrary(seed: seed))
        case "ask":
            guard (3...4).contains(arguments.count), let seed = UInt64(arguments[2]) else { break }
            try await Asking(FilePath(arguments[1]), DrawnLibrary(seed: seed)).measure(arguments.dropFirst(3).first)
        default: break
        }
    }
}

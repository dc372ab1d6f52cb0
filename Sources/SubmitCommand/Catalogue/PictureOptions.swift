internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitCatalogue
internal import SubmitDigest
internal import SubmitEngine
internal import SystemPackage

/// Which pictures of the catalogue are meant: some that are named, or those of which something holds.
struct PictureOptions: ParsableArguments {
    @Argument(
        help: "Pictures: files, their numbers in `submit feed`, or the SHA-256 of their bytes.", completion: .file())
    var pictures: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Those of which this holds: words such as 'tag=harbour taken last week', or LoopBack's JSON.",
            valueName: "question"))
    var condition: String?

    @Option(help: ArgumentHelp("Those that have these words somewhere.", valueName: "words"))
    var search: String?

    var isAny: Bool { !pictures.isEmpty || condition != nil || search != nil }

    func validate() throws {
        if condition?.allSatisfy(\.isWhitespace) == true {
            throw ValidationError("--where says nothing, which would mean all: check for unset variables.")
        }
        if !pictures.isEmpty, condition != nil || search != nil {
            throw ValidationError("Name pictures, or say which by --where and --search: not both.")
        }
    }

    /// - Throws: where a name is none, or no picture is called so; where it is no question.
    func selection(_ manager: SubmitManager) async throws -> PictureSelection {
        if pictures.isEmpty { return try PictureSelection(asked: condition, search) }
        var numbers: [RecordValue] = []
        for name in pictures { numbers.append(.integer(try await number(of: name, manager))) }
        var filters: [CatalogueFilter] = []
        for start in stride(from: 0, to: numbers.count, by: CatalogueLimits.list) {
            let some = Array(numbers[start..<min(numbers.count, start + CatalogueLimits.list)])
            filters.append(.condition(try CatalogueCondition(.id, .inq, .list(some))))
        }
        return PictureSelection(filter: filters.count == 1 ? filters[0] : .or(filters), search: nil)
    }

    private func number(of name: String, _ manager: SubmitManager) async throws -> Int64 {
        let condition: CatalogueCondition
        if let number = Int64(name), !FileManager.default.fileExists(atPath: name) {
            condition = try CatalogueCondition(.id, .eq, .integer(number))
        } else {
            let digest = Hexadecimal.text(of: try Self.digest(of: name))
            condition = try CatalogueCondition(.item, .eq, .text(digest))
        }
        do {
            let query = try CatalogueQuery(.condition(condition), limit: 1, fields: [.id])
            if let picture = try await manager.pictures.page(query).pictures.first { return picture.id }
        } catch let fault as DatasourceFault {
            throw WrittenQuestion.failure(fault, in: nil)
        }
        throw SubmitFailure(
            .giveUp, code: "unknown-picture",
            message:
                "“\(name)” is not in the catalogue: what was sent is in there once a destination has it, unless it was forgotten, which "
                + "`submit forget --undo` takes back.")
    }

    /// The SHA-256 that is written, or that of a file.
    static func digest(of name: String) throws -> [UInt8] {
        if name.utf8.count == 64, let digest = Hexadecimal.bytes(of: name.lowercased()) { return digest }
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(name, .readOnly, options: [.closeOnExec])
        } catch {
            throw SubmitFailure.usage(
                "“\(name)” is no picture: name a file, a number of `submit feed` or a SHA-256 (\(error)).")
        }
        defer { try? descriptor.close() }
        var pass = DigestPass([.sha256])
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        do {
            while case let count = try descriptor.read(into: buffer), count > 0 {
                pass.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            throw SubmitFailure.usage("“\(name)” cannot be read: name another picture (\(error)).")
        }
        return pass.finalize()[.sha256] ?? []
    }
}

/// Some pictures of the catalogue.
struct PictureSelection {
    var filter: CatalogueFilter
    var search: SearchWords?

    init(filter: CatalogueFilter, search: SearchWords?) { (self.filter, self.search) = (filter, search) }

    /// - Parameter condition: plain words, or LoopBack's JSON.
    init(asked condition: String?, _ search: String?) throws {
        (filter, self.search) = (.everything, nil)
        if let condition {
            do throws(CatalogueFault) {
                let reader = QuestionReader(.pictures)
                if WrittenQuestion.isJSON(condition) {
                    filter = try reader.filter(json: condition)
                } else {
                    let query = try CatalogueQuery(reader.question(words: condition))
                    (filter, self.search) = (query.filter, query.search)
                }
            } catch {
                throw WrittenQuestion.failure(error, in: condition)
            }
        }
        if let search {
            do throws(CatalogueFault) {
                let words = [self.search?.words.joined(separator: " "), search].compactMap(\.self)
                self.search = try SearchWords(words.joined(separator: " "))
            } catch {
                throw WrittenQuestion.failure(error, in: search)
            }
        }
    }
}

/// A question as somebody typed it.
enum WrittenQuestion {
    static func isJSON(_ text: String) -> Bool { text.first { !$0.isWhitespace }.map("{[".contains) ?? false }

    /// With its place in what was typed.
    ///
    /// - Parameter text: `nil` where nobody typed it as a whole.
    static func failure(_ fault: CatalogueFault, in text: String?) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "query",
            message: fault.explained(of: text) { name, known in NearestNames.hint(for: name, among: known) })
    }

    static func failure(_ fault: DatasourceFault, in text: String?) -> SubmitFailure {
        switch fault {
        case .question(let fault): failure(fault, in: text)
        case .source(let failure): failure
        }
    }
}

import Foundation
import GRDB
import SubmitCatalogue
import Testing

@testable import SubmitJournal

/// Pages while others write.
@Suite struct PagesTests {
    @Test(arguments: [
        "{}", #"{"order": "id DESC"}"#, #"{"order": "captured DESC"}"#,
        #"{"order": ["owner", "width DESC", "captured"]}"#,
        #"{"where": {"tags": "a"}, "order": "id DESC"}"#, #"{"where": {"location": {"near": "53.55,9.99"}}}"#,
        #"{"search": "harb", "order": "id DESC"}"#, #"{"search": "ha", "order": "size"}"#,
    ])
    func `all pages together are what was there throughout, and nothing twice`(json: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "catalogue-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bench = try CatalogueBench(path: folder.appending(path: "journal.sqlite").path)
        // Even numbers are there from the beginning: others come between, before and after them.
        let there = (1...150).map { Self.picture(Int64($0 * 2)) }
        try bench.insert(there)
        let writing = Task.detached {
            var numbers = Array(0..<151).map { Int64($0 * 2 + 1) }.shuffled()
            while !Task.isCancelled, let number = numbers.popLast() { try bench.insert([Self.picture(number)]) }
            return numbers.count
        }
        var query = try QuestionReader.utc.query(json)
        query.limit = 7
        var (seen, pages): ([CataloguePicture], Int) = ([], 0)
        while true {
            let page = try bench.page(query)
            seen += page.pictures
            pages += 1
            guard let next = page.next else { break }
            query.mark = try PageMark(next.text)
            await Task.yield()
        }
        writing.cancel()
        let unwritten = try await writing.value
        #expect(unwritten < 151, "nobody wrote meanwhile")
        #expect(Set(seen.map(\.id)).count == seen.count, "nothing comes twice")
        let meant = there.filter { query.filter.matches($0) && query.search?.matches($0) ?? true }
        #expect(Set(seen.map(\.id)).isSuperset(of: meant.map(\.id)), "\(pages) pages")
        #expect(meant.count > 40)
        #expect(zip(seen, seen.dropFirst()).allSatisfy(query.wholeOrder.isBefore))
    }

    private static func picture(_ id: Int64) -> CataloguePicture {
        .plain(id) {
            $0.caption = id % 4 < 2 ? "The harbour" : nil
            $0.tags = id % 4 < 2 ? ["a", "b"] : ["b"]
            $0.owner = ["ann", "bob", "eve"][Int(id / 10 % 3)]
            $0.width = id % 5 == 0 ? nil : id % 7
            $0.captured = id % 6 == 0 ? nil : WallClockTime(seconds: id * 7919 % 100)
            $0.place = id % 3 == 0 ? nil : CataloguePlace(latitude: Double(id % 9), longitude: Double(id % 11))
        }
    }
}

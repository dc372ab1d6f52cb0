import GRDB
import Submit
import SystemPackage
import Testing

@testable import SubmitJournal

@Suite struct GroupCommitTests {
    let folder = TemporaryFolder()

    @Test func `a verb that fails takes nothing of its neighbours with it`() async throws {
        let journal = try Journal(path: folder.path.appending("journal.sqlite"))
        try await journal.accept(NewItem.photos(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    try? await journal.write { db in
                        try db.execute(sql: "INSERT INTO destination (name) VALUES (?)", arguments: ["\(index)"])
                        if index % 2 == 1 { throw SubmitFailure.scripted }
                    }
                }
            }
            try await group.waitForAll()
        }
        let names = Set(try await journal.destinationStates().map(\.name))
        #expect(names == Set((0..<50).filter { $0 % 2 == 0 }.map(String.init)))
        #expect(try await journal.makeWorker().take().count == 1)
    }
}

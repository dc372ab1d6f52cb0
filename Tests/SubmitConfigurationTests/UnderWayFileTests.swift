import Foundation
import Submit
import SubmitConfiguration
import SubmitEngine
import SubmitJournal
import SystemPackage
import TestServers
import Testing

@Suite struct `The file of what is under way` {
    @Test func `a run removes those of processes that were killed, and no others`() async throws {
        let folder = TemporaryFolder()
        let places = AppPaths(environment: ["HOME": folder.path("home")])
        let journal = try Journal(path: places.journal)
        let manager = SubmitManager(store: journal.store, registry: try SubmitterRegistry())
        let files = places.journal.removingLastComponent()
        // No process has the first number: Linux gives out at most 4,194,304.
        let names = ["under-way-4194999.json", "under-way-\(getppid()).json", "under-way-x.json", "other-4194999.json"]
        for name in names { try Data("[]".utf8).write(to: URL(fileURLWithPath: files.appending(name).string)) }
        let writing = Task { await UnderWayFile(places).write(for: manager) }
        writing.cancel()
        await writing.value
        let left = try FileManager.default.contentsOfDirectory(atPath: files.string)
        #expect(names.filter(left.contains) == Array(names.dropFirst()))
    }
}

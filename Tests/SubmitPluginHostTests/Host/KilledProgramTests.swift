import Foundation
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import TestServers
import Testing

@testable import SubmitPluginHost

/// What `kill -9` of a program does to the submissions that it has under way: nothing but time.
@Suite(.timeLimit(.minutes(10))) struct KilledProgramTests {
    private let files = TemporaryFolder()

    private func photos(_ count: Int, bytes: Int) throws -> [FilePath] {
        try files.folder("photos")
        return try (0..<count).map { number in
            let content = [0xff, 0xd8, 0xff, 0xe0] + ScriptedBytes.content(count: bytes - 4, seed: UInt64(number + 1))
            return FilePath(try files.write(content, to: "photos/IMG_\(number).jpg"))
        }
    }

    private func manager(_ type: SubmitterType, _ values: [String: String]) throws -> (SubmitManager, ExternalSubmitter)
    {
        let submitter = try #require(
            try type.make(DestinationSettings(destination: "shelf", values: values)) as? ExternalSubmitter)
        let manager = SubmitManager(
            store: try Journal(path: FilePath(files.path("journal.sqlite"))).store, registry: try SubmitterRegistry(),
            policy: RetryPolicy(base: .milliseconds(1), longest: .milliseconds(4), attempts: 50))
        manager.add(Destination(name: "shelf", type: type, submitter: submitter))
        return (manager, submitter)
    }

    @Test func `a program killed in the middle of a photo goes on from its checkpoint, and one copy results`()
        async throws
    {
        let photo = try photos(1, bytes: 400_000)
        let shelf = try files.folder("shelf")
        let type = try TestPrograms.program("halting").submitterType(TestPrograms.surroundings())
        let (manager, submitter) = try manager(type, ["folder": shelf])
        let batch = try await manager.accept(SubmitRequest(paths: photo, destinations: ["shelf"])).batch
        let run = try await manager.start([batch])
        let first = try #require(submitter.keeper.conversation.process)
        let files = files
        let killer = Task {
            try await eventually { try !files.text("shelf/sent.log").isEmpty }
            kill(first, SIGKILL)
        }
        try await run.finish(patience: .seconds(20))
        try await killer.value
        let record = try #require(try await manager.records.submissions(SubmissionSelection(batch: batch)).first)
        #expect(record.state == .done)
        #expect(record.tries == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf).sorted() == ["IMG_0.jpg", "sent.log"])
        #expect(FileManager.default.contentsEqual(atPath: shelf + "/IMG_0.jpg", andPath: photo[0].string))
        // The first half, nothing of it again, and the second half.
        #expect(try files.text("shelf/sent.log") == "200000\n0\n200000\n")
    }

    @Test func `however often a program is killed, there is one copy of each photo`() async throws {
        let photos = try photos(40, bytes: 100_000)
        let shelf = try files.folder("shelf")
        let outside = try OutsideProgram("file")
        let type = try outside.program.submitterType(TestPrograms.surroundings())
        let (manager, submitter) = try manager(type, ["path": shelf])
        let kills = Locked(0)
        manager.listen { event in
            // In the midst of what has just begun beside it.
            guard case .done = event, kills.withLock({ $0 }) < 5,
                let process = submitter.keeper.conversation.process, kill(process, SIGKILL) == 0
            else { return }
            kills.withLock { $0 += 1 }
        }
        let batch = try await manager.accept(SubmitRequest(paths: photos, destinations: ["shelf"])).batch
        try await manager.start([batch]).finish(patience: .seconds(20))
        // How many there were depends on how many photos were done between one process and the next.
        #expect(kills.withLock { $0 } >= 1)
        let records = try await manager.records.submissions(SubmissionSelection(batch: batch))
        #expect(records.count == 40)
        #expect(records.allSatisfy { $0.state == .done }, "\(records.compactMap(\.message))")
        let stored = try FileManager.default.contentsOfDirectory(atPath: shelf).filter { $0 != ".submit-folder" }
        #expect(stored.sorted() == photos.map { $0.lastComponent!.string }.sorted())
        for photo in photos {
            #expect(
                FileManager.default.contentsEqual(
                    atPath: shelf + "/" + photo.lastComponent!.string, andPath: photo.string))
        }
    }
}

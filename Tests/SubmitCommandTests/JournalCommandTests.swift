import Foundation
import TestServers
import Testing

@Suite(.fewAtOnce) struct `submit journal` {
    @Test func `backs up, checks and prunes`() async throws {
        let submit = Submit()
        let photos = try Photos.make(2, in: submit.folder)
        let missing = try await submit.run("journal", "backup", submit.folder.path("backup.sqlite"))
        #expect(missing.end == .exited(2) && missing.err.contains("no journal"), "\(missing)")
        #expect(try await submit.run("journal", "check").end == .exited(2))
        for _ in 0..<3 { #expect(try await submit.run(["--reread", "--to", "file"] + photos).end == .exited(0)) }
        let backup = submit.folder.path("backup.sqlite")
        let made = try await submit.run("journal", "backup", backup, "--json")
        #expect(made.end == .exited(0) && made.out.contains("\"event\":\"journal-backup\""), "\(made)")
        let again = try await submit.run("journal", "backup", backup)
        #expect(again.end == .exited(2) && again.err.contains("--force"), "\(again)")
        #expect(try await submit.run("journal", "backup", "--force", backup).end == .exited(0))
        let foreign = try await submit.run("journal", "backup", "--force", photos[0])
        #expect(foreign.end == .exited(2) && foreign.err.contains("is no backup"), "\(foreign)")

        let dry = try await submit.run("journal", "prune", "--older-than", "0s", "--dry-run", "--json")
        #expect(dry.end == .exited(0) && dry.out.contains("\"submissions\":4"), "\(dry)")
        #expect(try await submit.list().count == 6)
        let pruned = try await submit.run("journal", "prune", "--older-than", "0s", "--json")
        #expect(pruned.out.contains("\"submissions\":4") && pruned.out.contains("\"batches\":2"), "\(pruned)")
        #expect(try await submit.list().count == 2)
        let audit = try await submit.run("audit")
        #expect(audit.end == .exited(0) && audit.out.contains("2 there"), "\(audit)")
        let old = try await submit.run("journal", "prune", "--older-than", "1y")
        #expect(old.out.hasPrefix("0 submissions, 0 attempts, 0 items and 0 batches forgotten"), "\(old)")

        for (arguments, count) in [([], 2), ([backup], 6)] {
            let check = try await submit.run(["journal", "check"] + arguments)
            #expect(check.end == .exited(0) && check.out.contains("is sound: \(count) submissions"), "\(check)")
        }
        try Data(repeating: 0x55, count: 4096 * 3).write(to: URL(fileURLWithPath: photos[1]))
        let bad = try await submit.run("journal", "check", photos[1], "--json")
        #expect(bad.end == .exited(1) && bad.out.contains("\"sound\":false"), "\(bad)")
        let leftovers = try FileManager.default.contentsOfDirectory(atPath: submit.folder.path)
        #expect(!leftovers.contains { $0.hasPrefix("backup.sqlite-") || $0.hasPrefix(".") }, "\(leftovers)")
    }
}

import Foundation
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

/// Collects what audits and repairs show.
final class Findings: Sendable {
    private let all = Locked<[AuditedSubmission]>([])

    func add(_ page: [AuditedSubmission]) { all.withLock { $0 += page } }

    var list: [AuditedSubmission] { all.withLock { $0.sorted { $0.record.id < $1.record.id } } }

    func of(_ name: String, at destination: String) -> AuditFinding? { audited(name, at: destination)?.finding }

    func audited(_ name: String, at destination: String) -> AuditedSubmission? {
        list.first { $0.record.item.name == name && $0.record.destination == destination }
    }
}

extension Workshop {
    func audit(_ scope: AuditScope = AuditScope(), isDeep: Bool = false) async throws -> Findings {
        let findings = Findings()
        try await manager.audit(scope, isDeep: isDeep) { findings.add($0) }
        return findings
    }
}

@Suite struct `An audit` {
    @Test func `tells what is there, changed, vanished, owed and failed apart, and changes nothing`() async throws {
        let shop = try Workshop()
        let batch = try await shop.accept(try shop.photos(4))
        shop["b"].script = { _, item, _ in
            item.name == "IMG_0003.jpg" ? .failure(SubmitFailure(.giveUp, code: "no", message: "No.")) : .success(())
        }
        try await shop.run(batch)
        let late = try await shop.accept([try shop.photo("late.jpg")], to: ["a"])
        shop["a"].put([1, 2], as: "IMG_0001.jpg")
        shop["a"].put(Workshop.jpeg(300, seed: 77), as: "IMG_0002.jpg")
        shop["b"].put(nil, as: "IMG_0000.jpg")
        let before = try await shop.journal.submissions(SubmissionSelection()).map(\.state)

        let found = try await shop.audit()
        #expect(found.list.count == 9)
        #expect(found.of("IMG_0000.jpg", at: "a") == .there(.verified))
        #expect(found.of("IMG_0001.jpg", at: "a") == .changed(.size))
        #expect(found.of("IMG_0002.jpg", at: "a") == .changed(.digest))
        #expect(found.of("IMG_0000.jpg", at: "b") == .vanished)
        #expect(found.of("IMG_0003.jpg", at: "b") == .failed)
        #expect(found.of("late.jpg", at: "a") == .waiting)
        #expect(found.list.allSatisfy { $0.source == .unchanged })
        #expect(try await shop.journal.submissions(SubmissionSelection()).map(\.state) == before)

        #expect(try await shop.audit(AuditScope(batches: [late])).list.count == 1)
        #expect(try await shop.audit(AuditScope(batches: [batch], destinations: ["b"])).list.count == 4)
    }

    @Test func `never calls absent what cannot be reached, and asks it no million times`() async throws {
        let shop = try Workshop()
        let batch = try await shop.accept(try shop.photos(300))
        try await shop.run(batch)
        shop["b"].outage = SubmitFailure(.hold(.unreachable, after: nil), code: "down", message: "It is down.")
        shop.manager.remove(destination: "a")
        let looks = shop["b"].looks
        let found = try await shop.audit()
        #expect(found.list.count == 600)
        #expect(
            found.list.filter { $0.record.destination == "b" }.allSatisfy { $0.finding == .cannotTell("It is down.") })
        #expect(shop["b"].looks - looks <= 2)
        let gone = found.list.first { $0.record.destination == "a" }?.finding
        guard case .cannotTell(let why) = gone else {
            Issue.record("a destination that is no longer configured was answered with \(String(describing: gone))")
            return
        }
        #expect(why.contains("not configured"))
    }

    @Test func `sees by reading back what a size hides`() async throws {
        let shop = try Workshop()
        shop["a"].proves = .size
        let batch = try await shop.accept(try shop.photos(1), to: ["a"])
        try await shop.run(batch)
        shop["a"].put(Workshop.jpeg(300, seed: 77), as: "IMG_0000.jpg")
        #expect(try await shop.audit().list.map(\.finding) == [.there(.size)])
        #expect(try await shop.audit(isDeep: true).list.map(\.finding) == [.changed(.digest)])
    }

    @Test func `knows sources that are gone, changed or only touched, and where else a verified copy is`() async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities, "b": InMemorySubmitter.capabilities])
        let paths = try shop.photos(3)
        let batch = try await shop.accept(paths)
        try await shop.run(batch)
        for name in ["IMG_0000.jpg", "IMG_0001.jpg", "IMG_0002.jpg"] { shop["a"].put(nil, as: name) }
        try FileManager.default.removeItem(atPath: paths[0].string)
        try Data(Workshop.jpeg(300, seed: 99)).write(to: URL(fileURLWithPath: paths[1].string))
        utimes(paths[2].string, nil)
        let found = try await shop.audit(AuditScope(destinations: ["a"]))
        #expect(found.list.map(\.source) == [.missing, .changed, .unchanged])
        #expect(found.list.map { $0.elsewhere.map(\.destination) } == [["b"], ["b"], []])
        shop["b"].put([1], as: "IMG_0000.jpg")
        #expect(try await shop.audit(AuditScope(destinations: ["a"])).list[0].elsewhere.isEmpty)
    }

    @Test func `looks at a copy once, and counts it once, however many nights it was submitted`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let paths = try shop.photos(2)
        var batches: [BatchID] = []
        for _ in 0..<3 {
            batches.append(try await shop.accept(paths))
            try await shop.run(batches[batches.count - 1])
        }
        let looks = shop["a"].looks
        #expect(try await shop.audit().list.map(\.finding) == [.there(.verified), .there(.verified)])
        #expect(shop["a"].looks - looks == 2)
        for named in [[batches[0]], batches] {
            let found = try await shop.audit(AuditScope(batches: named)).list
            #expect(found.map(\.record.batch) == [named[named.count - 1], named[named.count - 1]])
        }
        shop["a"].put(nil, as: "IMG_0000.jpg")
        #expect(try await shop.audit().list.map(\.finding) == [.vanished, .there(.verified)])
    }

    @Test func `does not call a copy what was skipped`() async throws {
        let shop = try Workshop()
        shop["a"].put([1, 2, 3], as: "IMG_0000.jpg")
        let batch = try await shop.manager.accept(
            SubmitRequest(paths: try shop.photos(1), destinations: ["a"], onConflict: .skip)
        ).batch
        try await shop.run(batch)
        #expect(try await shop.audit().list.map(\.finding) == [.skipped])
    }
}

@Suite struct `A repair` {
    private func decisions(
        _ shop: Workshop, onConflict: ConflictPolicy? = nil, isDryRun: Bool = false
    ) async throws -> (batches: Set<BatchID>, decisions: [String: RepairDecision]) {
        let decided = Locked<[String: RepairDecision]>([:])
        let batches = try await shop.manager.repair(AuditScope(), onConflict: onConflict, isDryRun: isDryRun) { page in
            decided.withLock { decided in
                for (audited, decision) in page { decided[audited.record.item.name] = decision }
            }
        }
        return (batches, decided.withLock { $0 })
    }

    @Test func `sends just what is lost, keeps the history, and replaces nothing`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let batch = try await shop.accept(try shop.photos(3))
        try await shop.run(batch)
        let original = shop["a"].contents
        shop["a"].put(nil, as: "IMG_0000.jpg")
        shop["a"].put([1, 2], as: "IMG_0001.jpg")

        let dry = try await decisions(shop, isDryRun: true)
        #expect(dry.batches.isEmpty && dry.decisions.count == 2)
        #expect(try await shop.states(batch, at: "a") == [.done: 3])

        let real = try await decisions(shop)
        #expect(real.batches == [batch] && real.decisions == dry.decisions)
        #expect(try await shop.states(batch, at: "a") == [.waiting: 2, .done: 1], "owed before anything is sent")
        // As after a kill: another process goes on.
        try await shop.otherManager().start([batch]).finish(patience: .seconds(20))
        #expect(try await shop.states(batch, at: "a") == [.done: 3])
        #expect(shop["a"].contents["IMG_0000.jpg"] == original["IMG_0000.jpg"])
        #expect(shop["a"].contents["IMG_0001.jpg"] == [1, 2], "what was changed is not replaced")
        #expect(shop["a"].contents["IMG_0001-1.jpg"] == original["IMG_0001.jpg"])
        #expect(shop["a"].stored.count == 5)
        #expect(try await shop.journal.attempts(of: 1).map(\.outcome) == ["done", "vanished", "done"])
        #expect(try await shop.journal.attempts(of: 2).map(\.outcome) == ["done", "changed", "done"])
        #expect(try await decisions(shop).decisions.isEmpty, "nothing is lost any more, and nothing there twice")
        #expect(shop["a"].contents.count == 4)
    }

    @Test func `leaves alone what cannot be told and what has no source`() async throws {
        let shop = try Workshop()
        let paths = try shop.photos(1)
        let batch = try await shop.accept(paths)
        try await shop.run(batch)
        shop["a"].put(nil, as: "IMG_0000.jpg")
        shop["b"].outage = SubmitFailure(.hold(.unreachable, after: nil), code: "down", message: "It is down.")
        try FileManager.default.removeItem(atPath: paths[0].string)
        let found = try await decisions(shop)
        #expect(found.batches.isEmpty)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        #expect(try await shop.states(batch, at: "b") == [.done: 1])
        shop["b"].outage = nil
        guard
            case .impossible(let failure)? = try await { () async throws -> RepairDecision? in
                let only = Locked<RepairDecision?>(nil)
                _ = try await shop.manager.repair(AuditScope(destinations: ["a"])) { page in
                    only.withLock { $0 = page[0].1 }
                }
                return only.withLock { $0 }
            }()
        else {
            Issue.record("it was to be impossible")
            return
        }
        #expect(failure.message.contains("no longer there") && failure.message.contains("a verified copy is at b"))
    }

    @Test(arguments: [ConflictPolicy.overwrite, .skip, .fail])
    func `asks for a word before it touches what was changed`(policy: ConflictPolicy) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let batch = try await shop.manager.accept(
            SubmitRequest(paths: try shop.photos(1), destinations: ["a"], onConflict: policy)
        ).batch
        try await shop.run(batch)
        shop["a"].put([1, 2], as: "IMG_0000.jpg")
        guard case .impossible(let failure)? = try await decisions(shop).decisions["IMG_0000.jpg"] else {
            Issue.record("it was to be impossible")
            return
        }
        #expect(failure.code == "changed" && failure.message.contains("“overwrite”"))
        #expect(try await decisions(shop, onConflict: .overwrite).batches == [batch])
        try await shop.run(batch)
        #expect(shop["a"].contents.keys.sorted() == ["IMG_0000.jpg"])
        #expect(shop["a"].contents["IMG_0000.jpg"]?.count == 300)
    }

    @Test func `replaces the damaged copy at the address in its receipt, and no other photo`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        shop["a"].put([7, 7, 7], as: "IMG_0000.jpg")
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        let original = try #require(shop["a"].contents["IMG_0000-1.jpg"])
        for damage in [[1, 2], [3, 4, 5]] as [[UInt8]] {
            shop["a"].put(damage, as: "IMG_0000-1.jpg")
            #expect(try await decisions(shop, onConflict: .overwrite).batches == [batch])
            try await shop.run(batch)
            #expect(shop["a"].contents == ["IMG_0000.jpg": [7, 7, 7], "IMG_0000-1.jpg": original])
        }
        shop["a"].put(nil, as: "IMG_0000-1.jpg")
        #expect(try await decisions(shop, onConflict: .overwrite).decisions == ["IMG_0000.jpg": .again(.rename)])
        try await shop.run(batch)
        #expect(shop["a"].contents == ["IMG_0000.jpg": [7, 7, 7], "IMG_0000-1.jpg": original])
    }

    @Test func `proves what it sends as strongly as it was disproved`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        shop["a"].proves = .size
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        shop["a"].put(Workshop.jpeg(300, seed: 77), as: "IMG_0000.jpg")
        #expect(try await decisions(shop).decisions.isEmpty, "its size is right")
        _ = try await shop.manager.repair(AuditScope(), onConflict: .overwrite, isDeep: true) { _ in }
        let told = Locked<[(Verification, String?)]>([])
        shop["a"].script = { moment, _, context in
            if moment == .beforeSending { told.withLock { $0.append((context.verification, context.disproved)) } }
            return .success(())
        }
        try await shop.run(batch)
        #expect(told.withLock { $0.map(\.0) } == [.readback] && told.withLock { $0.map(\.1) } == ["IMG_0000.jpg"])
        let record = try #require(try await shop.journal.submissions(SubmissionSelection()).first)
        #expect(record.receipt?.evidence == .verified && record.verification == .readback)
    }

    /// A destination that cannot be read back, and calls there what carries the right name.
    @Test(arguments: [true, false])
    func `does not believe that what it disproved is there`(isSame: Bool) async throws {
        var facts = InMemorySubmitter.capabilities
        facts.canReadBack = false
        let shop = try Workshop(["a": facts])
        shop["a"].proves = .echoed
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        let original = shop["a"].contents["IMG_0000.jpg"]
        shop["a"].put([1, 2], as: "IMG_0000.jpg")
        #expect(try await decisions(shop).batches == [batch])
        // As from a server that tells what it was told, whatever it holds.
        shop["a"].put(original, as: "IMG_0000.jpg")
        if isSame { shop["a"].proves = .verified }
        try await shop.run(batch)
        let record = try #require(try await shop.journal.submissions(SubmissionSelection()).first)
        #expect(record.state == (isSame ? .done : .failed))
        if !isSame {
            #expect(
                record.code == "copy-disproved" && record.message?.contains("“a” calls “IMG_0000.jpg” there") == true)
        }
    }

    @Test func `of a vanished copy replaces nothing that came meanwhile, though overwriting was asked for once`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let batch = try await shop.manager.accept(
            SubmitRequest(paths: try shop.photos(1), destinations: ["a"], onConflict: .overwrite)
        ).batch
        try await shop.run(batch)
        shop["a"].put(nil, as: "IMG_0000.jpg")
        #expect(try await decisions(shop).decisions["IMG_0000.jpg"] == .again(.rename))
        shop["a"].put([9], as: "IMG_0000.jpg")
        try await shop.run(batch)
        #expect(shop["a"].contents["IMG_0000.jpg"] == [9])
        #expect(shop["a"].contents["IMG_0000-1.jpg"]?.count == 300)
    }
}

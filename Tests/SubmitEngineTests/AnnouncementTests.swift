import Foundation
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

@Suite struct `What is accepted` {
    /// The telling is slow, and a place becomes free meanwhile: rows are there that nobody has been told of.
    @Test func `is told before anything is told of what became of it`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let gate = shop.gate(at: "a")
        let told = Locked<[String]>([])
        shop.manager.listen { event in
            switch event {
            case .accepted(let item, _, _):
                if item.name == "second.jpg" {
                    gate.open()
                    // As long as a claim takes; who starts out of turn does so at once.
                    let end = Date(timeIntervalSinceNow: 0.3)
                    while Date() < end, !told.withLock({ $0.contains("started third.jpg") }) { sched_yield() }
                }
                told.withLock { $0.append("accepted \(item.name)") }
            case .started(let note): told.withLock { $0.append("started \(note.item.name)") }
            case .done(let note, _): told.withLock { $0.append("done \(note.item.name)") }
            default: break
            }
        }
        let batch = try await shop.accept([shop.photo("first.jpg")])
        let run = try await shop.manager.start([batch])
        async let finished: Void = run.finish(patience: .seconds(20))
        await gate.arrivals(1)
        _ = try await shop.manager.accept(
            SubmitRequest(paths: [shop.photo("second.jpg"), shop.photo("third.jpg")], destinations: ["a"]), into: batch)
        try await finished
        try await shop.run(batch)
        let lines = told.withLock { $0 }
        for name in ["first", "second", "third"] {
            let mine = lines.filter { $0.hasSuffix("\(name).jpg") }.map { $0.split(separator: " ")[0] }
            #expect(mine == ["accepted", "started", "done"], "\(lines)")
        }
    }

    @Test func `is told first, too, where several accept into one batch at once`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let told = Locked<[String]>([])
        shop.manager.listen { event in
            switch event {
            case .accepted(let item, _, _): told.withLock { $0.append("accepted \(item.name)") }
            case .started(let note): told.withLock { $0.append("started \(note.item.name)") }
            default: break
            }
        }
        let paths = try shop.photos(60)
        let batch = try await shop.accept([shop.photo("first.jpg")])
        let service = Task { try await shop.manager.run() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<6 {
                group.addTask {
                    for path in paths[part * 10..<part * 10 + 10] {
                        _ = try await shop.manager.accept(
                            SubmitRequest(paths: [path], destinations: ["a"]), into: batch)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await shop.summary(batch).done == 61)
        service.cancel()
        try await service.value
        let lines = told.withLock { $0 }
        for path in paths {
            let name = path.lastComponent?.string ?? ""
            let mine = lines.filter { $0.hasSuffix(name) }
            #expect(mine == ["accepted \(name)", "started \(name)"], "\(mine)")
        }
        #expect(try await shop.journal.batches([batch]).map(\.isComplete) == [true])
    }
}

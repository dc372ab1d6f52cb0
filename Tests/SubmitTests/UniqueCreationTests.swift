import Submit
import SubmitConcurrency
import Testing

@Suite struct `Something that is created by its name` {
    private static let hour: Int64 = 3600 * 1_000_000_000

    private func candidate(_ id: String, _ hours: Int64?) -> UniqueCreation.Candidate {
        UniqueCreation.Candidate(id: id, created: hours.map { Timestamp(nanoseconds: $0 * Self.hour) })
    }

    @Test func `is looked for by the next process as long as the list may lag`() async throws {
        let notes = TransientNotes()
        let made = Locked(0)
        let clock = Locked(Timestamp(nanoseconds: 0))
        func find() async throws(SubmitFailure) -> String? {
            let creation = UniqueCreation(of: "album", at: "mine", notes: notes, clock: { clock.withLock { $0 } })
            let found = try await creation.find("Harbour") { () throws(SubmitFailure) in
                []
            } create: { () throws(SubmitFailure) in
                made.withLock { count in
                    count += 1
                    return "a\(count)"
                }
            }
            return found.map { "\($0.id)\($0.isNew ? " new" : "")\($0.note ?? "")" }
        }
        #expect(try await find() == "a1 new")
        #expect(try await find() == "a1")
        // A list that still doesn't show it after an hour is right: somebody removed it.
        clock.withLock { $0 = Timestamp(nanoseconds: Self.hour) }
        #expect(try await find() == "a2 new")
    }

    @Test func `is created by one of many tasks`() async throws {
        let (notes, made) = (TransientNotes(), Locked(0))
        await withTaskGroup(of: String?.self) { group in
            for _ in 1...20 {
                group.addTask {
                    try? await UniqueCreation(of: "album", at: "mine", notes: notes).find("Harbour") {
                        () async throws(SubmitFailure) in
                        await Task.yield()
                        return []
                    } create: { () async throws(SubmitFailure) in
                        await Task.yield()
                        return made.withLock { count in
                            count += 1
                            return "a\(count)"
                        }
                    }?.id
                }
            }
            for await id in group { #expect(id == "a1") }
        }
        #expect(made.withLock { $0 } == 1)
    }

    @Test func `is the oldest where there are several, whatever their order, and a note says so`() async throws {
        let creation = UniqueCreation(of: "album", at: "mine", notes: TransientNotes())
        let dated = [candidate("a", 3), candidate("b", 1), candidate("c", 2)]
        let counted = [candidate("10", nil), candidate("9", nil)]
        for (all, oldest) in [(dated, "b"), (dated.reversed(), "b"), (counted, "9"), (counted.reversed(), "9")] {
            let found = try await creation.find("Harbour", list: { () throws(SubmitFailure) in all }, create: nil)
            #expect(found?.id == oldest && found?.isNew == false)
            #expect(found?.note?.contains("\(all.count) albums called “Harbour”") == true)
        }
    }

    @Test func `is nothing where it isn't there and can't be created now`() async throws {
        let creation = UniqueCreation(of: "album", at: "mine", notes: TransientNotes())
        #expect(try await creation.find("Harbour", list: { () throws(SubmitFailure) in [] }, create: nil) == nil)
    }
}

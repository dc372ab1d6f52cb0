import Foundation
import Submit
import SubmitStore
import SystemPackage
import Testing

@Suite struct `A note in a store` {
    @Test func `is changed by one process at a time`() async throws {
        let store = try StoreMaker.journal.place().open()
        let notes = StoredNotes(destination: "mine", in: { store })
        let isHeld = try await notes.exclusively("album Harbour") { note throws(SubmitFailure) in
            note = [1, 2, 3]
            let files = (try? FileManager.default.contentsOfDirectory(atPath: store.locks.string)) ?? []
            guard files.count == 1 else { return false }
            // As another process would ask for it: the lock belongs to the open file.
            return try FileLock.free(store.locks.appending(files[0])) == nil
        }
        #expect(isHeld)
        #expect(await notes.read("album Harbour") == [1, 2, 3])
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: store.locks.string).first)
        #expect(try FileLock.free(store.locks.appending(file)) != nil)
    }

    @Test func `stays as it was where its change fails`() async throws {
        let store = try StoreMaker.journal.place().open()
        let notes = StoredNotes(destination: "mine", in: { store })
        await notes.write("album Harbour", [1])
        await #expect(throws: SubmitFailure.self) {
            try await notes.exclusively("album Harbour") { note throws(SubmitFailure) in
                note = nil
                throw SubmitFailure(.giveUp, code: "test", message: "It fails.")
            }
        }
        #expect(await notes.read("album Harbour") == [1])
    }
}

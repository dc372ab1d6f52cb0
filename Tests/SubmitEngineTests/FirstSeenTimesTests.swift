import Submit
import Testing

@testable import SubmitEngine

@Suite struct `Leftovers that nobody dates` {
    private let notes = TransientNotes()
    private let undated = Leftover(id: "a", name: "a")

    private func dating(_ leftovers: [Leftover], at second: Int64) async -> [String: Int64?] {
        let dated = await FirstSeenTimes(notes, now: { Timestamp(nanoseconds: second * 1_000_000_000) }).dating(
            leftovers)
        return Dictionary(uniqueKeysWithValues: dated.map { ($0.id, $0.begun?.seconds) })
    }

    @Test func `are as old as their first sight`() async {
        let dated = Leftover(id: "b", name: "b", begun: Timestamp(nanoseconds: 5_000_000_000))
        #expect(await dating([undated, dated], at: 100) == ["a": 100, "b": 5])
        #expect(await dating([dated, undated], at: 900) == ["a": 100, "b": 5])
    }

    @Test func `are forgotten when they are gone`() async {
        _ = await dating([undated], at: 100)
        #expect(await dating([], at: 200).isEmpty)
        #expect(await notes.read("leftovers") == nil)
        #expect(await dating([undated], at: 300) == ["a": 300])
    }

    @Test func `were not seen in a time that is yet to come`() async {
        _ = await dating([undated], at: 1_000_000)
        #expect(await dating([undated], at: 100) == ["a": 100])
        #expect(await dating([undated], at: 200) == ["a": 100])
    }
}

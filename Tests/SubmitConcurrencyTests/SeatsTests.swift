import SubmitConcurrency
import Testing

@Suite struct SeatsTests {
    /// Asks for seats in a task, which returns whether it got them.
    private func asking(for count: Int, of seats: Seats) -> Task<Bool, Never> {
        Task { await seats.take(count) }
    }

    @Test func `several seats are taken at once, when there are as many`() async {
        let seats = Seats(4)
        #expect(await seats.take(2))
        let large = asking(for: 3, of: seats)
        seats.leave(2)
        #expect(await large.value)
        #expect(await seats.take())
        seats.leave(3)
        seats.leave()
        #expect(await seats.take(4))
    }

    @Test func `nobody is seated while several seats are another's`() async {
        let seats = Seats(4)
        #expect(await seats.take(3))
        #expect(await seats.take())
        let late = asking(for: 1, of: seats)
        let isSeated = Locked(false)
        let watch = Task { if await late.value { isSeated.withLock { $0 = true } } }
        for _ in 0..<1000 { await Task.yield() }
        #expect(!isSeated.withLock { $0 })
        seats.leave(3)
        await watch.value
        #expect(isSeated.withLock { $0 })
    }

    // In one of two orders they come, which nobody outside sees.
    @Test(arguments: 0..<50)
    func `who gives up lets those behind pass`(turn: Int) async {
        let seats = Seats(2)
        #expect(await seats.take())
        let large = asking(for: 2, of: seats)
        let small = asking(for: 1, of: seats)
        large.cancel()
        #expect(await !large.value)
        #expect(await small.value)
        seats.leave(2)
        #expect(await seats.take(2))
    }
}

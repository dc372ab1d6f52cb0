import SubmitConcurrency
import Testing

@Suite struct AsyncSemaphoreTests {
    /// Asks for permits in a task, which returns whether it got them.
    private func asking(for count: Int, of permits: AsyncSemaphore) -> Task<Bool, Never> {
        Task { await permits.acquire(count) }
    }

    @Test func `several permits are taken at once, when there are as many`() async {
        let permits = AsyncSemaphore(4)
        #expect(await permits.acquire(2))
        let large = asking(for: 3, of: permits)
        permits.release(2)
        #expect(await large.value)
        #expect(await permits.acquire())
        permits.release(3)
        permits.release()
        #expect(await permits.acquire(4))
    }

    @Test func `nobody gets a permit while several permits are another's`() async {
        let permits = AsyncSemaphore(4)
        #expect(await permits.acquire(3))
        #expect(await permits.acquire())
        let late = asking(for: 1, of: permits)
        let hasPermit = Locked(false)
        let watch = Task { if await late.value { hasPermit.withLock { $0 = true } } }
        for _ in 0..<1000 { await Task.yield() }
        #expect(!hasPermit.withLock { $0 })
        permits.release(3)
        await watch.value
        #expect(hasPermit.withLock { $0 })
    }

    // In one of two orders they come, which nobody outside sees.
    @Test(arguments: 0..<50)
    func `who gives up lets those behind pass`(turn: Int) async {
        let permits = AsyncSemaphore(2)
        #expect(await permits.acquire())
        let large = asking(for: 2, of: permits)
        let small = asking(for: 1, of: permits)
        large.cancel()
        #expect(await !large.value)
        #expect(await small.value)
        permits.release(2)
        #expect(await permits.acquire(2))
    }
}

import SubmitConcurrency
import Testing

@Suite struct `A claimed name` {
    @Test func `is handed on in order, and a cancelled waiter leaves at once`() async {
        let claims = KeyedLock()
        #expect(await claims.acquire("k"))
        #expect(await claims.acquire("other"))
        let cancelled = Task { await claims.acquire("k") }
        cancelled.cancel()
        #expect(await !cancelled.value)
        let next = Task { await claims.acquire("k") }
        claims.release("k")
        #expect(await next.value)
        claims.release("k")
        #expect(await claims.acquire("k"))
    }
}

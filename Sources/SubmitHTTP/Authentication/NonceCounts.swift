/// How often each nonce was used, so that no count comes twice when a server goes back to an earlier nonce. Of more
/// than 64 it forgets those not used for longest.
struct NonceCounts {
    private var counts: [String: UInt32] = [:]
    private var order: [String] = []

    /// The number of the next use.
    mutating func next(_ nonce: String) -> UInt32 {
        if order.last != nonce {
            order.removeAll { $0 == nonce }
            if order.count == 64 { counts[order.removeFirst()] = nil }
            order.append(nonce)
        }
        let count = (counts[nonce] ?? 0) &+ 1
        counts[nonce] = count
        return count
    }
}

/// How often each nonce was used. It forgets the oldest of more than 64.
struct NonceCounts {
    private var counts: [String: UInt32] = [:]
    private var order: [String] = []

    /// The number of the next use.
    mutating func next(_ nonce: String) -> UInt32 {
        if let count = counts[nonce] {
            counts[nonce] = count &+ 1
            return count &+ 1
        }
        if order.count == 64 { counts[order.removeFirst()] = nil }
        order.append(nonce)
        counts[nonce] = 1
        return 1
    }
}

internal import Submit

/// What comes next of a body, read on threads that may wait for it: the one thread that all requests run on waits for no
/// disk.
final class ReadAhead: Sendable {
    /// What there is to send now.
    enum Next {
        case bytes(Int)
        /// Nothing yet: it is told when there is something.
        case later
        case failed(SubmitFailure)
    }

    private final class Block: @unchecked Sendable {
        let memory: UnsafeMutableRawBufferPointer
        var range: Range<Int64> = 0..<0

        init(_ size: Int) { memory = .allocate(byteCount: size, alignment: 4096) }

        deinit { memory.deallocate() }
    }

    private struct State {
        /// What has been read and not yet been taken, in order.
        var full: [Block] = []
        var free: [Block] = []
        /// Where what is being read begins.
        var reading: Int64?
        var failure: SubmitFailure?
        /// Somebody was told to come later.
        var isAwaited = false
    }

    private let media: any MediaBytes
    private let range: Range<Int64>
    private let length: Int64
    private let blockSize: Int
    private let state: Locked<State>
    private let tell = Locked<(@Sendable () -> Void)?>(nil)

    /// Two of them are held of what is larger than both together.
    private static let blockSize = 128 << 10

    init(_ media: any MediaBytes, _ range: Range<Int64>) {
        self.media = media
        self.range = range
        length = range.upperBound - range.lowerBound
        let isSmall = length <= 2 * Int64(Self.blockSize)
        blockSize = isSmall ? Int(length) : Self.blockSize
        state = Locked(State(free: (0..<(isSmall ? 1 : 2)).map { [blockSize] _ in Block(blockSize) }))
    }

    /// - Parameter tell: called when there is something, or a failure, for who was told to come later.
    func whenReady(_ tell: @escaping @Sendable () -> Void) { self.tell.withLock { $0 = tell } }

    /// Reads the beginning, in the caller's task.
    ///
    /// - Returns: why it cannot be read.
    func begin() async -> SubmitFailure? {
        state.withLock { $0.reading = 0 }
        await BlockingThreads.anywhere { self.read(from: 0) }
        return state.withLock { $0.failure }
    }

    /// Copies what stands at a place of the body, as far as it has been read, and has what follows read meanwhile.
    func take(at position: Int64, into place: UnsafeMutableRawBufferPointer) -> Next {
        let (next, start) = state.withLock { state -> (Next, Int64?) in
            while let block = state.full.first, !block.range.contains(position) { state.free.append(state.full.removeFirst()) }
            guard let block = state.full.first else {
                if let failure = state.failure { return (.failed(failure), nil) }
                state.isAwaited = true
                return (.later, state.reading == nil ? position : nil)
            }
            let count = min(place.count, Int(block.range.upperBound - position))
            let skipped = Int(position - block.range.lowerBound)
            place.copyMemory(from: .init(rebasing: block.memory[skipped..<skipped + count]))
            if position + Int64(count) == block.range.upperBound { state.free.append(state.full.removeFirst()) }
            let end = state.full.last?.range.upperBound ?? block.range.upperBound
            let isNext = state.reading == nil && state.failure == nil && !state.free.isEmpty && end < length
            return (.bytes(count), isNext ? end : nil)
        }
        if let start {
            state.withLock { $0.reading = start }
            Task(executorPreference: BlockingThreads.sources) { self.read(from: start) }
        }
        return next
    }

    private func read(from start: Int64) {
        guard let block = state.withLock({ $0.free.popLast() }) else { return }
        let count = Int(min(Int64(blockSize), length - start))
        let result = Result { () throws(SubmitFailure) in
            let place = UnsafeMutableRawBufferPointer(rebasing: block.memory[..<count])
            guard try media.read(into: place, at: range.lowerBound + start) == count else { throw Self.short }
        }
        let isAwaited = state.withLock { state -> Bool in
            state.reading = nil
            switch result {
            case .success:
                block.range = start..<start + Int64(count)
                state.full.append(block)
            case .failure(let failure): state.failure = failure
            }
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { tell.withLock { $0 }?() }
    }

    private static let short = SubmitFailure(
        .retry(afterMilliseconds: nil), code: "source-short",
        "The file ended early while it was being sent: see that nothing else writes to it.")
}

internal import CLinux
internal import Submit
internal import SubmitConcurrency

/// What comes next of a body: what memory has of a file at once, all else read ahead on threads that may wait for it. The
/// one thread that all requests run on waits for no disk.
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
        /// So many more may be made.
        var spare: Int
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
        state = Locked(State(spare: isSmall ? 1 : 2))
    }

    /// - Parameter tell: called when there is something, or a failure, for who was told to come later.
    func whenReady(_ tell: @escaping @Sendable () -> Void) { self.tell.withLock { $0 = tell } }

    /// Reads the beginning of what is no file, in the caller's task.
    ///
    /// - Returns: why it cannot be read.
    func begin() async -> SubmitFailure? {
        guard media.fileDescriptor == nil else { return nil }
        state.withLock { $0.reading = 0 }
        await BlockingThreads.anywhere { self.read(from: 0) }
        return state.withLock { $0.failure }
    }

    /// Hands out what stands at a place of the body, as far as it can be had now.
    func take(at position: Int64, into place: UnsafeMutableRawBufferPointer) -> Next {
        if let descriptor = media.fileDescriptor, let next = takeNow(descriptor, at: position, into: place) {
            return next
        }
        return takeRead(at: position, into: place)
    }

    /// The same of what memory has of a file; `nil` where it has nothing.
    private func takeNow(_ descriptor: CInt, at position: Int64, into place: UnsafeMutableRawBufferPointer) -> Next? {
        var count = 0
        let offset = range.lowerBound + position
        guard submit_read_now(descriptor, place.baseAddress, place.count, offset, &count) == 0, count > 0 else {
            return nil
        }
        // As ``MediaBytes/read(into:at:)`` does for whoever gets the last byte.
        if offset + Int64(count) == media.size {
            do throws(SubmitFailure) {
                try media.verifyUnchanged()
            } catch {
                return .failed(error)
            }
        }
        return .bytes(count)
    }

    /// Copies what has been read, and has what follows read meanwhile.
    private func takeRead(at position: Int64, into place: UnsafeMutableRawBufferPointer) -> Next {
        let (next, start) = state.withLock { state -> (Next, Int64?) in
            while let block = state.full.first, !block.range.contains(position) {
                state.free.append(state.full.removeFirst())
            }
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
            let isNext =
                state.reading == nil && state.failure == nil && end < length
                && state.free.count + state.spare > 0
            return (.bytes(count), isNext ? end : nil)
        }
        if let start {
            state.withLock { $0.reading = start }
            Task(executorPreference: BlockingThreads.sources) { self.read(from: start) }
        }
        return next
    }

    private func read(from start: Int64) {
        let block = state.withLock { state -> Block in
            if let block = state.free.popLast() { return block }
            state.spare -= 1
            return Block(blockSize)
        }
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
        .retry(after: nil), code: "source-short",
        message: "The file ended early while it was being sent: see that nothing else writes to it.")
}

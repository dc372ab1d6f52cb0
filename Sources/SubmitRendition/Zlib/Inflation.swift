internal import CISAL
internal import Submit
internal import SubmitPlatform

/// Where compressed bytes come from.
protocol CompressedBytes {
    /// The next ones, valid until the next call; empty at the end.
    mutating func next() throws(SubmitFailure) -> UnsafeRawBufferPointer
}

/// Walks a zlib stream (RFC 1950 and 1951) to its end, to tell how much it unpacks to and whether anything follows it.
///
/// Nothing is kept unless asked for, so that a stream costs no memory however much it unpacks to; and it stops as soon
/// as it is more than it may be.
struct Inflation<Source: CompressedBytes> {
    enum End { case complete, damaged, tooMuch, bytesBehind }

    /// What it unpacks to, where that is kept.
    private(set) var output: [UInt8] = []
    private(set) var produced: Int64 = 0
    private var source: Source
    private let keeps: Bool
    private let most: Int64

    /// - Parameter most: bytes that it may unpack to.
    init(_ source: Source, keeps: Bool, most: Int64) {
        self.source = source
        self.keeps = keeps
        self.most = most
    }

    /// Unpacks all of it, once.
    mutating func run() throws(SubmitFailure) -> End {
        guard let state = submit_inflate_begin() else { return .damaged }
        defer { free(state) }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)
        defer { room.deallocate() }
        while true {
            let bytes = try source.next()
            if bytes.isEmpty { return .damaged }
            var left = UInt32(bytes.count)
            while true {
                var written = UInt32(room.count)
                let before = left
                let start = bytes.count - Int(left)
                let result = submit_inflate(
                    state, bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self), &left,
                    room.assumingMemoryBound(to: UInt8.self).baseAddress, &written)
                produced += Int64(written)
                if keeps { output += room[..<Int(written)] }
                if produced > most { return .tooMuch }
                switch result {
                case 1: return try source.next().isEmpty ? .complete : .bytesBehind
                case 2: return .bytesBehind
                case 0 where written == 0 && left == before: return .damaged
                case 0 where left > 0 || written == room.count: continue
                case 0: break
                default: return .damaged
                }
                break
            }
        }
    }
}

internal import SubmitPlatform
internal import SubmitPluginProtocol
internal import SystemPackage

/// Reads lines from a descriptor, a block at a time. It belongs to one thread.
struct LineReader {
    private let input: FileDescriptor
    private var block = [UInt8](repeating: 0, count: 64 << 10)
    private var filled = 0
    private var start = 0

    init(_ input: FileDescriptor) {
        self.input = input
    }

    /// The next line, without its end; `nil` at the end of input. A line that the input ends in the middle of is none.
    mutating func next() throws(MalformedMessage) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            let rest = block[start..<filled]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                start = end + 1
                return line
            }
            line += rest
            guard line.count <= PluginProtocol.longestHostLine else { throw MalformedMessage("it is too long") }
            start = 0
            filled = block.withUnsafeMutableBytes { buffer in
                (try? input.read(into: buffer, retryOnInterrupt: true)) ?? 0
            }
            if filled == 0 { return nil }
        }
    }
}

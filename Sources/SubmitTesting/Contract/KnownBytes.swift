internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitPlatform

/// The bytes that were invented for one run of a case, so that a complaint can tell whose were found.
final class KnownBytes: Sendable {
    /// Those of the run that the task belongs to.
    @TaskLocal static var ofThisRun = KnownBytes()

    private let all = Locked<[(owner: String, bytes: [UInt8])]>([])

    /// - Parameter owner: such as “someone else's”; `nil`: the next item's.
    func add(_ bytes: [UInt8], of owner: String? = nil) {
        all.withLock { all in
            guard !all.contains(where: { $0.bytes.equals(bytes) }) else { return }
            let number = all.count { $0.owner.hasPrefix("the ") }
            all.append((owner ?? "the \(Self.ordinal(number)) item's", bytes))
        }
    }

    /// Whose bytes these are and which, such as “the first item's first 40 bytes (sha256 9f86d081)”.
    func name(of bytes: [UInt8]) -> String {
        "\(owner(of: bytes)) (sha256 \(Self.digest(of: bytes)))"
    }

    private func owner(of bytes: [UInt8]) -> String {
        let all = all.withLock { $0 }
        if let whole = all.first(where: { $0.bytes.equals(bytes) }) { return "\(whole.owner) \(bytes.count) bytes" }
        if bytes.isEmpty { return "an empty copy" }
        if let start = all.first(where: { $0.bytes.count > bytes.count && $0.bytes.same(as: bytes) == bytes.count }) {
            return "\(start.owner) first \(bytes.count) bytes of \(start.bytes.count)"
        }
        // The same beginning is no chance: invented media of a kind share a few bytes at most.
        let near = all.map { (owner: $0.owner, same: $0.bytes.same(as: bytes)) }.max { $0.same < $1.same }
        if let near, near.same >= 64 {
            return "\(bytes.count) bytes, of which the first \(near.same) are \(near.owner)"
        }
        return "\(bytes.count) bytes of nobody"
    }

    /// As one list, of which a long one is cut.
    static func names(of copies: [[UInt8]]) -> String {
        list(copies.map { ofThisRun.name(of: $0) })
    }

    /// With their paths.
    static func names(of contents: [String: [UInt8]]) -> String {
        list(contents.sorted { $0.key < $1.key }.map { "“\($0.key)” with \(ofThisRun.name(of: $0.value))" })
    }

    private static func list(_ names: [String]) -> String {
        let most = 12
        let more = names.count > most ? ["\(names.count - most) more"] : []
        return names.isEmpty ? "nothing" : (names.prefix(most) + more).joined(separator: "; ")
    }

    private static func ordinal(_ index: Int) -> String {
        let words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
        return index < words.count ? words[index] : "\(index + 1)th"
    }

    private static func digest(of bytes: [UInt8]) -> String {
        var pass = DigestPass([.sha256])
        bytes.withUnsafeBytes { pass.update($0) }
        return String(pass.finalize().hexadecimal(.sha256)?.prefix(8) ?? "")
    }
}

extension [UInt8] {
    /// How many bytes both begin with.
    fileprivate func same(as other: [UInt8]) -> Int {
        let length = Swift.min(count, other.count)
        return withUnsafeBytes { mine in
            other.withUnsafeBytes { theirs in
                var start = 0
                // As memory first: byte by byte takes seconds for a large copy in a debug build.
                while start < length {
                    let step = Swift.min(4096, length - start)
                    guard let a = mine.baseAddress, let b = theirs.baseAddress else { return start }
                    if memcmp(a + start, b + start, step) != 0 {
                        while mine[start] == theirs[start] { start += 1 }
                        return start
                    }
                    start += step
                }
                return length
            }
        }
    }
}

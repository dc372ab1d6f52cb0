internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest

/// An item's MD5: the one of its acceptance, or else computed once, when somebody asks for it.
final class ItemMD5: Sendable {
    private let bytes: any MediaBytes
    private let computed: Locked<[UInt8]?>

    init(_ item: MediaItem, _ bytes: any MediaBytes) {
        self.bytes = bytes
        computed = Locked(item.digests[.md5])
    }

    /// In hexadecimal, where nothing has to be read for it.
    var known: String? { digest.map { Hexadecimal.text(of: $0) } }

    /// The item's digests with this one, where it is known.
    func added(to digests: Digests) -> Digests {
        var digests = digests
        if let digest { digests[.md5] = digest }
        return digests
    }

    /// In hexadecimal.
    ///
    /// - Throws: the failure of reading, or ``SubmitFailure/cancelled``.
    func hexadecimal() async throws(SubmitFailure) -> String? {
        if let known { return known }
        let found = try await Digests.computed([.md5], of: bytes)[.md5]
        computed.withLock { $0 = found }
        return known
    }

    private var digest: [UInt8]? { computed.withLock { $0 } }
}

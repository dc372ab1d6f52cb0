public import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SystemPackage

/// The bytes of an invented media item, with a source that can go wrong.
///
/// There are two forms: bytes that can only be asked for (``read(into:at:)``), and a real file besides, for submitters
/// that hand a path or a descriptor on and never read themselves. The file is in no folder and goes with this value.
public final class ScriptedBytes: MediaBytes {
    /// What goes wrong with the source.
    public enum Fault: Sendable, Hashable {
        /// It ends here, though it was accepted with more. The file form really does.
        case endsAt(Int64)
        /// It is found changed when its last byte is read, and afterwards.
        case changesAtTheEnd
    }

    /// All bytes that the item was invented with, whatever goes wrong when they are read.
    public let content: [UInt8]
    private let fault: Fault?
    private let file: MemoryFile?
    /// Of all content, once somebody has asked.
    private let digests = Locked<Digests?>(nil)
    private let onRead: (@Sendable (Int64) -> Void)?
    private let onVerify: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - isFile: there is a file, whose descriptor is ``fileDescriptor`` and whose path is the item's source.
    ///   - onRead: called with the offset of each read, before it.
    ///   - onVerify: called whenever somebody asks whether the source is unchanged, before the answer. Everybody asks
    ///     that before a copy becomes visible, those too that never read.
    public init(
        _ content: [UInt8], fault: Fault? = nil, isFile: Bool = false, onRead: (@Sendable (Int64) -> Void)? = nil,
        onVerify: (@Sendable () -> Void)? = nil
    ) {
        self.content = content
        self.fault = fault
        self.onRead = onRead
        self.onVerify = onVerify
        var end = content.count
        if case .endsAt(let early) = fault { end = min(end, Int(early)) }
        file = isFile ? MemoryFile(content[..<end]) : nil
    }

    /// `count` bytes that look random and are the same for the same seed.
    public static func content(count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        var content = [UInt8](repeating: 0, count: (count + 7) & ~7)
        content.withUnsafeMutableBytes { bytes in
            let steps = bytes.bindMemory(to: UInt64.self)
            var index = 0
            // Not `for in`, which takes ten times as long in a debug build.
            while index < steps.count {
                // SplitMix64.
                state &+= 0x9E37_79B9_7F4A_7C15
                var z = state
                z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
                z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
                steps[index] = (z ^ (z &>> 31)).littleEndian
                index &+= 1
            }
        }
        content.removeLast(content.count - count)
        return content
    }

    public var size: Int64 { Int64(content.count) }
    public var fileDescriptor: CInt? { file?.descriptor }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        onRead?(offset)
        var end = size
        if case .endsAt(let early) = fault {
            end = early
            if offset >= end { throw Self.changed }
        }
        let count = Int(min(Int64(buffer.count), max(0, end - offset)))
        content.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset) + count]))
        }
        if offset + Int64(count) == size { try look() }
        return count
    }

    public func verifyUnchanged() throws(SubmitFailure) {
        onVerify?()
        try look()
    }

    private func look() throws(SubmitFailure) {
        if fault != nil { throw Self.changed }
    }

    private static let changed = SubmitFailure(
        .retry(after: .zero), code: "source-changed",
        message: "The source is no longer what was accepted: submit it again.")

    /// What there is of a source that ends too early; `nil` for one that does not.
    var shortened: ScriptedBytes? {
        guard case .endsAt(let end) = fault else { return nil }
        return ScriptedBytes(Array(content.prefix(Int(end))), isFile: file != nil)
    }

    /// The media item these bytes make.
    public func item(
        named name: String, type: MediaType = .jpeg, caption: String? = nil, tags: [String] = []
    ) -> MediaItem {
        let digests = digests.withLock { known in
            if let known { return known }
            var pass = DigestPass(Set(DigestAlgorithm.allCases))
            content.withUnsafeBytes { pass.update($0) }
            let all = pass.finalize()
            known = all
            return all
        }
        return MediaItem(
            source: FilePath(file?.path ?? "/nowhere/source"), name: name, size: size, type: type,
            modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789),
            captured: CaptureTime(year: 2024, month: 5, day: 17, hour: 18, minute: 42, second: 7, offset: 7200),
            caption: caption, tags: tags, digests: digests)
    }
}

extension MediaType {
    /// `image/jpeg`
    public static let jpeg = MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg")
}

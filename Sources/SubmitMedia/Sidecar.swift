/// A file that says something of a photo or video that lies beside it under the same name, and is none itself.
public enum Sidecar: String, Sendable, Hashable, CaseIterable {
    /// What a program wrote of a photo instead of into it: Adobe's Extensible Metadata Platform (ISO 16684-1).
    case xmp
    /// What was changed in a photo on an Apple device, as a property list.
    case aae
    /// The small picture of a video, or of a raw photo: a JPEG that is told by its name only.
    case thm
    /// What Google's Takeout writes of a photo beside it: its date, its place and its title.
    case json

    /// What the file that begins with `head` is; `nil` where it is no sidecar.
    ///
    /// To be asked before ``MediaTypeDetector``, which takes a small picture for any other JPEG.
    ///
    /// - Parameters:
    ///   - head: the first bytes, ``MediaTypeDetector/headLength`` of them or all. May be anything.
    ///   - fileExtension: without the dot, in letters of any case.
    public init?(head: Span<UInt8>, fileExtension: String) {
        let fileExtension = fileExtension.lowercased()
        if head.has([0xff, 0xd8, 0xff], at: 0) {
            guard fileExtension == "thm" else { return nil }
            self = .thm
        } else if Self.isXMP(head, isCalledSo: fileExtension == "xmp") {
            self = .xmp
        } else if Self.isTakeout(head, isCalledSo: fileExtension == "json") {
            self = .json
        } else if Self.isAAE(head, isCalledSo: fileExtension == "aae") {
            self = .aae
        } else {
            return nil
        }
    }

    /// XMP stands in many files: here it is all there is. Some write no packet and no `xmpmeta` around it.
    private static func isXMP(_ head: Span<UInt8>, isCalledSo: Bool) -> Bool {
        guard let root = rootElement(of: head) else { return false }
        return ["x:xmpmeta", "x:xapmeta"].contains { head.has(Array($0.utf8), at: root) }
            || isCalledSo
                && (head.has(Array("rdf:RDF".utf8), at: root) || head.holds(Array("adobe:ns:meta/".utf8)))
    }

    /// Many programs write JSON: Takeout's has the time at which the photo was taken.
    private static func isTakeout(_ head: Span<UInt8>, isCalledSo: Bool) -> Bool {
        isCalledSo && head.has([0x7b], at: 0) && head.holds(Array("\"photoTakenTime\"".utf8))
    }

    private static func isAAE(_ head: Span<UInt8>, isCalledSo: Bool) -> Bool {
        let isText = rootElement(of: head).map { head.has(Array("plist".utf8), at: $0) } ?? false
        guard isText || head.has(Array("bplist0".utf8), at: 0) else { return false }
        return isCalledSo
            || ["adjustmentBaseVersion", "adjustmentFormatIdentifier"].contains { head.holds(Array($0.utf8)) }
    }

    /// Where the name of the first element of XML stands: behind a byte-order mark, declarations, comments and the like.
    private static func rootElement(of head: Span<UInt8>) -> Int? {
        var offset = head.has([0xef, 0xbb, 0xbf], at: 0) ? 3 : 0
        while offset < head.count {
            switch head[offset] {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            case UInt8(ascii: "<"):
                let isSkipped = head.has(Array("<?".utf8), at: offset) || head.has(Array("<!".utf8), at: offset)
                guard isSkipped else { return offset + 1 }
                let end = head.has(Array("<!--".utf8), at: offset) ? "-->" : ">"
                guard let found = head.place(of: Array(end.utf8), from: offset) else { return nil }
                offset = found + end.utf8.count
            default: return nil
            }
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Where `bytes` first stand from `offset` on.
    fileprivate func place(of bytes: [UInt8], from offset: Int) -> Int? {
        guard bytes.count <= count else { return nil }
        return (offset..<Swift.max(offset, count - bytes.count + 1)).first { has(bytes, at: $0) }
    }

    fileprivate func holds(_ bytes: [UInt8]) -> Bool { place(of: bytes, from: 0) != nil }
}

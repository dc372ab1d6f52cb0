internal import CVips
internal import SubmitPixels

/// Why nothing comes of a photo.
struct PixelFault: Error {
    let kind: PixelTrouble
    let why: String
}

extension PixelFault {
    static let noMemory = PixelFault(kind: .memory, why: "it takes more memory than submit-media may use")

    /// What the library has just failed with.
    static func library() -> PixelFault {
        let text = String(cString: submit_vips_trouble())
        let words = text.lowercased()
        if words.contains("memory") || words.contains("alloc") {
            return noMemory
        }
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "libvips cannot read it"
        // What the system says of a read; decoders complain of what is missing then, too.
        if words.contains("read error"), let reason = text.split(separator: "unix error: ").dropFirst().first {
            return PixelFault(kind: .unreadable, why: String(reason.prefix { !$0.isNewline }))
        }
        let isForeign = ["a known", "is blocked", "unsupported"].contains { words.contains($0) }
        return PixelFault(kind: isForeign ? .unsupported : .damaged, why: line)
    }

    /// The library says that it has encoded a picture, and there is none.
    static func unwritten(_ format: PixelFormat) -> PixelFault {
        let fault = library()
        if fault.kind == .memory { return fault }
        return PixelFault(kind: .unsupported, why: "the \(format.name) that libvips wrote is none: \(fault.why)")
    }
}

internal import SubmitEngine

extension IncompleteTally {
    /// A warning for each format.
    var sentences: [String] {
        lines.map { line in
            let others = line.count == 1 ? "" : " and \(Printable.count(line.count - 1, "other"))"
            return Printable.line(
                "warning: \(Self.nouns[line.code] ?? "file") without an end: \(line.first)\(others). "
                    + "The copies are exact, but the original seems to be cut off: look at it, and copy it again if you can."
            )
        }
    }

    private static let nouns = [
        "jpeg": "JPEG", "png": "PNG", "iso-media": "film or HEIF photo", "riff": "WebP or AVI",
        "tiff": "TIFF or raw photo",
    ]
}

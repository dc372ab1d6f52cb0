internal import Submit

/// The names that a server takes.
struct NameRules: Sendable, Hashable, Codable {
    /// Not `\` and characters that control something, as Nextcloud, ownCloud and their like.
    var refusesControls = false
    /// Not the characters that Windows does not know in names, and neither dots nor spaces at their ends.
    var refusesWindows = false
    /// Bytes of UTF-8.
    var longest = FileName.maximumLength

    /// The name that something gets there: the same whenever it is asked for.
    ///
    /// - Parameter number: tells it from others of that name; 0 for none.
    func fitted(_ name: String, _ number: Int = 0) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars { scalars.append(refuses(scalar) ? "_" : scalar) }
        if refusesWindows, let last = scalars.last, last == "." || last == " " {
            scalars.removeLast()
            scalars.append("_")
        }
        let room = longest - (number == 0 ? 0 : "-\(number)".utf8.count)
        let fitted = Self.cut(String(scalars), toBytes: room)
        return number == 0 ? fitted : FileName(fitted).numbered(number)
    }

    private func refuses(_ scalar: Unicode.Scalar) -> Bool {
        if refusesControls, scalar == "\\" || scalar.value < 0x20 || scalar.value == 0x7f { return true }
        return refusesWindows && Self.windows.contains(scalar)
    }

    /// The stem gets shorter, one character after the other; the extension tells what it is.
    private static func cut(_ name: String, toBytes limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let parts = FileName(name)
        let isExtension = !parts.fileExtension.isEmpty && parts.fileExtension.utf8.count <= 64
        let ending = isExtension ? "." + parts.fileExtension : ""
        var stem = isExtension ? parts.stem : name
        while stem.utf8.count + ending.utf8.count > limit, stem.count > 1 { stem.removeLast() }
        return stem + ending
    }

    static let controls = "\\\n\t\u{1}"
    static let windows: Set<Unicode.Scalar> = [":", "*", "?", "\"", "<", ">", "|"]
    /// Those that file systems and servers are known to have.
    static let lengths = [FileName.maximumLength, 250, 143]
}

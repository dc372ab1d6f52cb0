internal import Submit

/// The names that a file system takes, as far as they were tried.
struct FileNameRules: Sendable, Hashable {
    /// Those of ``FileNameRules/doubtful`` that it does not take; each stands for its kind.
    var refused: Set<Unicode.Scalar> = []
    /// Names that end in these are refused, or stored without.
    var refusedEnds: Set<Unicode.Scalar> = []
    /// Names of devices, such as `con.jpg`, as Windows has them.
    var refusesDevices = false
    /// Bytes of UTF-8.
    var longest = FileName.maximumLength
    /// Names that differ only in case, or in how an accent is written, are one.
    var folds = false

    static let characters: [Unicode.Scalar] = ["\\", ":", "*", "?", "\"", "<", ">", "|", "\u{7f}"]
    /// Each stands for all of its kind: control characters, Latin-1, the Basic Multilingual Plane, what is beyond it.
    static let kinds: [Unicode.Scalar] = ["\u{1}", "\u{e9}", "\u{5c71}", "\u{1f3d4}"]
    static let doubtful = characters + kinds
    static let ends: [Unicode.Scalar] = [".", " "]
    /// Longest names that file systems are known to have: those that encrypt names have less room.
    static let lengths = [FileName.maximumLength, 250, 175, 143, 128, 100]

    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul", "conin$", "conout$"]
            + ["com", "lpt"].flatMap { device in "0123456789¹²³".map { "\(device)\($0)" } })

    /// Whether every file system takes the name, so that nothing need be tried.
    static func isPlain(_ name: String) -> Bool {
        name.utf8.count <= lengths.last! && !isDevice(name) && !ends.contains(name.unicodeScalars.last ?? ".")
            && name.unicodeScalars.allSatisfy { kind(of: $0) == nil }
    }

    /// The name that something gets: the same whenever it is asked for.
    func fitted(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars { scalars.append(refuses(scalar) ? "_" : scalar) }
        if let last = scalars.last, refusedEnds.contains(last) {
            scalars.removeLast()
            scalars.append("_")
        }
        if refusesDevices, Self.isDevice(String(scalars)) {
            let end = scalars.firstIndex(of: ".") ?? scalars.endIndex
            scalars.insert("_", at: end)
        }
        return FileName(String(scalars)).fitted(toBytes: longest)
    }

    /// The name for the `number`th try when others hold the fitted one.
    func numbered(_ fitted: String, _ number: Int) -> String {
        number == 0 ? fitted : FileName(fitted).numbered(number, toBytes: longest)
    }

    private func refuses(_ scalar: Unicode.Scalar) -> Bool { Self.kind(of: scalar).map(refused.contains) ?? false }

    /// By which of ``doubtful`` a character was tried; `nil` for those that all take.
    private static func kind(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0..<0x20: kinds[0]
        case 0x80...0xff: kinds[1]
        case 0x100...0xffff: kinds[2]
        case 0x10000...: kinds[3]
        default: characters.contains(scalar) ? scalar : nil
        }
    }

    private static func isDevice(_ name: String) -> Bool {
        devices.contains(name.prefix { $0 != "." }.lowercased())
    }
}

internal import Submit
internal import SubmitDigest

/// What git-annex calls content: its size and its SHA-256, with the extension that people expect.
///
/// Source: “key format” and “hashing” in git-annex's internals.
struct AnnexKey: Sendable, Hashable {
    let text: String

    init(_ item: MediaItem) {
        let fileExtension = FileName(item.name).fileExtension
        let isPlain = (1...4).contains(fileExtension.utf8.count) && fileExtension.utf8.allSatisfy(\.isLetterOrDigit)
        text =
            "SHA256E-s\(item.size)--\(item.digests.hexadecimal(.sha256) ?? "")" + (isPlain ? ".\(fileExtension)" : "")
    }

    /// As a receipt names it; `nil` where that is no key.
    init?(_ text: String) {
        guard text.hasPrefix("SHA256E-s"), text.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == 0x2d || $0 == 0x2e })
        else {
            return nil
        }
        self.text = text
    }

    /// Of a copy by its name alone: remotes look at the name then.
    static let unknown = AnnexKey("SHA256E-s0--e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")!

    /// Two folders of three digits: `f87/4d5/`.
    static func lowerFolders(_ key: String) -> String {
        let digits = Hexadecimal.text(of: md5(key).prefix(3))
        return "\(digits.prefix(3))/\(digits.suffix(3))/"
    }

    /// Two folders of two letters: `pX/1J/`.
    static func mixedFolders(_ key: String) -> String {
        let letters = Array("0123456789zqjxkmvwgpfZQJXKMVWGPF")
        let word = md5(key).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let text = (0..<4).map { letters[Int(word >> (6 * UInt32($0))) & 31] }
        return "\(text[1])\(text[0])/\(text[3])\(text[2])/"
    }

    private static func md5(_ key: String) -> [UInt8] {
        var pass = DigestPass([.md5])
        Array(key.utf8).withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.md5] ?? []
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
    }
}

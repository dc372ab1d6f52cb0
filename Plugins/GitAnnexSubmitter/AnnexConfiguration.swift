internal import Submit
internal import SubmitDigest

/// What the user configured of a remote.
struct AnnexConfiguration: Sendable {
    let destination: String
    /// `git-annex-remote-<type>`, or the path of one.
    let program: String
    let externalType: String
    /// As one would give them to `git annex initremote`.
    let values: [String: String]
    let user: String?
    let password: String?
    /// Items keep their names.
    let exports: Bool
    /// How long the program may be silent.
    let patience: Duration

    /// The same for the same configuration: what was set up for one may serve another no more.
    var fingerprint: String {
        let pairs = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return Hexadecimal.text(of: digest("\(externalType)\n\(exports)\n\(pairs.joined(separator: "\n"))"))
    }

    /// A name for the remote that stays the same: a UUID of version 8 (RFC 9562).
    var uuid: String {
        var bytes = Array(digest("submit \(destination) \(externalType)").prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Hexadecimal.text(of: bytes)
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    private func digest(_ text: String) -> [UInt8] {
        var pass = DigestPass([.sha256])
        Array(text.utf8).withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256] ?? []
    }

    /// The answer to `GETCONFIG`; empty for what is not set.
    func value(_ name: String, _ memory: AnnexMemory) -> String {
        switch name {
        case "encryption": "none"
        case "type": "external"
        case "externaltype": externalType
        case "name": destination
        case "exporttree": exports ? "yes" : "no"
        default: memory.configuration(name) ?? values[name] ?? ""
        }
    }
}

extension AnnexConfiguration: CustomStringConvertible, CustomReflectable {
    /// Names the program; never a secret.
    var description: String { "\(program) for \(destination)" }
    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

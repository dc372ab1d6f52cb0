import Foundation
import TestServers

/// How a server gives back what it was told.
enum Echo: CaseIterable, Sendable {
    case whole, base64, coded
    /// So that where sentences are cut, after 120 or 200 characters, a secret stands.
    case cut

    /// What a server says that knows these secrets, and got this request.
    func text(of secrets: [String], _ request: ReceivedRequest?) -> String {
        let headers = request.map { $0.head.split(separator: "\r\n").dropFirst().joined(separator: " ") } ?? ""
        let told = "You sent \(secrets.joined(separator: " ")) in \(headers)."
        switch self {
        case .whole: return told
        case .base64: return Data(told.utf8).base64EncodedString()
        case .coded:
            return secrets.map { secret in
                secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics)! + " "
                    + secret.utf8.map { String(format: "%02x", $0) }.joined()
            }.joined(separator: " ")
        case .cut:
            let begin = "It is wrong in a way of its own. "
            let filled = [120, 200].map {
                begin.padding(toLength: $0 - 16, withPad: "x", startingAt: 0) + " " + secrets[0]
            }
            return filled[0] + filled[1].dropFirst(filled[0].count)
        }
    }

    /// The same in Python, of `secret`: what a program says.
    var python: String {
        switch self {
        case .whole: "'It is ' + secret"
        case .base64: "base64.b64encode(b'x:' + secret.encode()).decode()"
        case .coded: "''.join('%%%02X' % b for b in secret.encode()) + ' ' + secret.encode().hex()"
        case .cut: "'y' * 183 + ' ' + secret"
        }
    }
}

/// Looks for secrets, and for parts of 12 characters and more, in bytes.
struct SecretSearch {
    private var needles: [UInt64: [(bytes: [UInt8], what: String)]] = [:]

    init(_ secrets: [String]) {
        for secret in secrets {
            let bytes = Array(secret.utf8)
            precondition(bytes.count >= 16)
            add(bytes, 12, secret)
            add(Array(bytes.map { String(format: "%02x", $0) }.joined().utf8), 24, "hex of " + secret)
            add(Array(bytes.map { String(format: "%02X", $0) }.joined().utf8), 24, "HEX of " + secret)
            add(Array(bytes.map { String(format: "%%%02X", $0) }.joined().utf8), 36, "URL of " + secret)
            for before in 0..<3 {
                let text = Data(Array(repeating: 0, count: before) + bytes).base64EncodedString().replacing(
                    "=", with: "")
                // Without the characters that what stands around it has a part in.
                add(Array(text.utf8.dropFirst(before == 0 ? 0 : before + 1).dropLast()), 16, "base64 of " + secret)
            }
        }
    }

    private mutating func add(_ bytes: [UInt8], _ run: Int, _ what: String) {
        for place in 0...(bytes.count - run) {
            let needle = Array(bytes[place..<(place + run)])
            let key = needle.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            needles[key, default: []].append((needle, what))
        }
    }

    /// What of them is there; `nil` for nothing.
    func find(in data: Data) -> String? {
        data.withUnsafeBytes { bytes in
            guard bytes.count >= 8 else { return nil }
            for place in 0...(bytes.count - 8) {
                let key = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                guard let candidates = needles[key] else { continue }
                for (needle, what) in candidates where place + needle.count <= bytes.count {
                    if bytes[place..<(place + needle.count)].elementsEqual(needle) {
                        let around = bytes[max(0, place - 60)..<min(bytes.count, place + 60)]
                        return "\(what), in: \(String(decoding: around, as: UTF8.self))"
                    }
                }
            }
            return nil
        }
    }

    func find(in text: String) -> String? { find(in: Data(text.utf8)) }
}

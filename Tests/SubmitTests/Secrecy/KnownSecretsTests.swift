import Foundation
import Testing

@testable import Submit

/// Secrets drawn at random, told by servers in every form, whole and cut.
@Suite struct `Known secrets` {
    private static let alphabets = [
        "abcdefghijklmnop0123456789", "AZaz09+/=-_.~ ", "äöü漢字é \"\\<>&'%\n\t/",
        "e\u{301}o\u{308}\u{1f469}\u{200d}\u{1f680}x",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!§$%&/()=?",
    ].map { Array($0.unicodeScalars) }

    private var numbers = Numbers()

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64 = 21

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            let mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            return mixed ^ (mixed >> 29)
        }
    }

    private mutating func draw(_ count: Int) -> String {
        let alphabet = Self.alphabets.randomElement(using: &numbers)!
        var text = String.UnicodeScalarView()
        for _ in 0..<count { text.append(alphabet.randomElement(using: &numbers)!) }
        return String(text)
    }

    /// A text as servers write it, each by an encoder that is not ours.
    private static func forms(of text: String) throws -> [(name: String, text: String)] {
        let base64 = Data(text.utf8).base64EncodedString()
        let json = String(decoding: try JSONSerialization.data(withJSONObject: [text]), as: UTF8.self)
        let escaped = text.unicodeScalars.map { $0.value < 0x10000 ? String(format: "\\u%04X", $0.value) : String($0) }
        return [
            ("plain", text), ("base64", base64),
            ("base64 for URLs", base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")),
            ("base64 in JSON", base64.replacing("/", with: "\\/")),
            ("base64 in a URL", base64.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!),
            ("hexadecimal", text.utf8.map { String(format: "%02x", $0) }.joined()),
            ("HEXADECIMAL", text.utf8.map { String(format: "%02X", $0) }.joined()),
            ("URL", text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!),
            ("URL, small", text.utf8.map { String(format: "%%%02x", $0) }.joined()),
            ("form", text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!.replacing("%20", with: "+")),
            ("JSON", json), ("JSON in numbers", escaped.joined()),
            ("XML", text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&#34;")),
            ("XML in numbers", text.unicodeScalars.map { "&#x\(String($0.value, radix: 16));" }.joined()),
        ]
    }

    private static func redacted(_ text: String, by index: SecretIndex) -> [UInt8] {
        var rest: [UInt8] = []
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var done = 0
            for find in index.finds(in: bytes) {
                rest += Array(bytes[done..<find.lowerBound]) + Array("…".utf8)
                done = find.upperBound
            }
            rest += bytes[done...]
        }
        return rest
    }

    /// Whether any run of so many bytes of one is in the other.
    private static func shares(_ text: [UInt8], _ form: [UInt8], run: Int) -> Bool {
        guard text.count >= run, form.count >= run else { return false }
        let runs = Set((0...(form.count - run)).map { Array(form[$0..<($0 + run)]) })
        return (0...(text.count - run)).contains { runs.contains(Array(text[$0..<($0 + run)])) }
    }

    @Test mutating func `leave no part of 12 characters in any form, wherever it stands and is cut`() throws {
        for round in 0..<150 {
            var index = SecretIndex()
            let secret = draw(.random(in: 4...50, using: &numbers))
            guard secret.utf8.count >= KnownSecrets.shortest else { continue }
            index.add(secret, isConfigured: true)
            let ready = index.ready()!
            // As in `Basic base64(user:password)`, with anything behind.
            let isWord = secret.utf8.count < 8 && secret.allSatisfy { $0.isASCII && $0.isLetter }
            let told =
                draw(.random(in: 0...5, using: &numbers)) + ":" + secret + (isWord ? "." : "")
                + draw(.random(in: 0...4, using: &numbers))
            for (name, form) in try Self.forms(of: told) {
                let bytes = Array(form.utf8)
                let isCut = round % 2 == 1
                let ends = (0..<2).map { _ in Int.random(in: 0...bytes.count, using: &numbers) }.sorted()
                let part = isCut ? Array(bytes[ends[0]..<ends[1]]) : bytes
                let rest = Self.redacted("<" + String(decoding: part, as: UTF8.self) + ">", by: ready)
                for known in SecretForms.all(of: Array(secret.utf8)) {
                    #expect(
                        !Self.shares(rest, known, run: isCut ? 12 : min(12, known.count)),
                        "\(round), \(name): \(secret) in \(String(decoding: rest, as: UTF8.self))")
                }
                if !isCut {
                    // By eyes of their own: what is not hidden is what stood around it.
                    let left = String(decoding: rest, as: UTF8.self)
                    #expect(
                        rest.contains(Array("…".utf8)) && left.removingPercentEncoding?.contains(secret) != true,
                        "\(round), \(name): \(left)")
                }
            }
        }
    }

    @Test mutating func `change no other text`() throws {
        var index = SecretIndex()
        for _ in 0..<40 { index.add("§" + draw(.random(in: 8...60, using: &numbers)), isConfigured: false) }
        let ready = index.ready()!
        for _ in 0..<200 {
            let text = "The photo “\(numbers.next()).jpg” & 100 % of \\n others &amp; %41%zz \\u12 \(numbers.next())"
            #expect(Self.redacted(text, by: ready) == Array(text.utf8))
        }
    }

    @Test func `are by bytes, and what two share shows of neither`() {
        for secret in ["abc-def", "def-ghi", "wörd-s3cr3t"] { KnownSecrets.add(secret) }
        #expect(KnownSecrets.redacted("abc-def-ghi, abc-def, def-ghi") == "…, …, …")
        #expect(KnownSecrets.redacted("an abc-def\u{301} and wo\u{308}rd") == "an …\u{301} and wo\u{308}rd")
        #expect(KnownSecrets.redacted("abc-de") == "abc-de")
        // What may be a word is one only by itself.
        KnownSecrets.add("zlong")
        #expect(KnownSecrets.redacted("anna:zlong&x=1, zlonger, azlong, zlong") == "anna:…&x=1, zlonger, azlong, …")
        KnownSecrets.add("xyz")
        #expect(KnownSecrets.redacted("xyz") == "xyz")
    }

    @Test func `of names are the longer ones, and whole`() {
        KnownSecrets.add("sh0rt-one")
        KnownSecrets.add("a-much-longer-0ne")
        #expect(KnownSecrets.areAbsent(fromName: "photos/sh0rt-one/1.jpg"))
        #expect(!KnownSecrets.areAbsent(fromName: "photos/a-much-longer-0ne/1.jpg"))
        #expect(!KnownSecrets.areAbsent(fromName: "photos/YS1tdWNoLWxvbmdlci0wbmU=/1.jpg"), "in Base64")
        // Somebody's password begins with the name of the account, which is part of every path there.
        KnownSecrets.add("ph0tographer-2024")
        #expect(KnownSecrets.areAbsent(fromName: "/remote.php/dav/files/ph0tographer/1.jpg"))
        #expect(KnownSecrets.areAbsent(fromName: "photos/much-longer-0ne/1.jpg"))
    }

    @Test func `that are renewed are forgotten some day, and others never`() throws {
        var index = SecretIndex()
        index.add("the-configured-one", isConfigured: true)
        for number in 0..<10_000 { index.add("token-\(number)-token", isConfigured: false) }
        let ready = index.ready()!
        func isKnown(_ text: String) -> Bool { Self.redacted(text, by: ready) == Array("…".utf8) }
        #expect(isKnown("the-configured-one") && isKnown("token-9999-token") && isKnown("token-9900-token"))
        #expect(!isKnown("token-0-token") && !isKnown("token-5000-token"))
        // One that is in use stays.
        var other = SecretIndex()
        for number in 0..<1000 {
            other.add("in-use-all-the-time", isConfigured: false)
            other.add("token-\(number)-token", isConfigured: false)
        }
        let kept = other.ready()!
        #expect(Self.redacted("in-use-all-the-time", by: kept) == Array("…".utf8))
    }

    @Test func `are in nothing that prints the list`() {
        var index = SecretIndex()
        index.add("nobody-sees-this", isConfigured: true)
        var text = "\(index) \(String(reflecting: index))"
        dump(index, to: &text)
        #expect(!text.contains("nobody"))
    }
}

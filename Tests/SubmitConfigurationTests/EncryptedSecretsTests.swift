import Foundation
import Submit
import Testing

@testable import SubmitConfiguration

@Suite struct `Secrets encrypted with a passphrase` {
    /// Sealed once for all: that takes seconds in a debug build.
    private static let text = Result {
        let keys = Keys()
        try keys.credentials().change("cloud") { $0 = ["password": Keys.canary] }
        try keys.credentials().file.encrypt(with: Array("correct horse".utf8))
        return try keys.text()
    }

    private func encrypted() throws -> Keys {
        var keys = Keys()
        try keys.write(Self.text.get())
        keys.environment[Passphrase.variable] = "correct horse"
        return keys
    }

    @Test func `are to be read and changed with it alone, and can be opened again`() throws {
        var keys = try encrypted()
        #expect(try !keys.text().contains(Keys.canary) && !keys.text().contains("cloud"))
        try keys.credentials().change("shop") { $0 = ["key": "k"] }
        #expect(try keys.credentials().file.all() == ["shop": ["key": "k"], "cloud": ["password": Keys.canary]])
        #expect(try !keys.text().contains("shop") && keys.credentials().file.isEncrypted)
        keys.environment[Passphrase.variable] = "wr0ng"
        let failure = #expect(throws: SubmitFailure.self) { try keys.credentials().secrets(of: "cloud") }
        #expect(failure?.message.contains("The passphrase does not open \(keys.path)") == true)
        #expect(throws: SubmitFailure.self) { try keys.credentials().change("cloud") { $0 = [:] } }
        keys.environment[Passphrase.variable] = "correct horse"
        try keys.credentials().file.open()
        #expect(try keys.text().contains(Keys.canary) && !keys.credentials().file.isEncrypted)
    }

    @Test func `are noticed when a plain file takes their place`() throws {
        let keys = try encrypted()
        #expect(try keys.credentials().secrets(of: "cloud") == ["password": Keys.canary])
        let sealed = try keys.text()
        try keys.write("cloud:\n  password: of-another\n")
        let failure = #expect(throws: SubmitFailure.self) { try keys.credentials().secrets(of: "cloud") }
        #expect(failure?.code == "secrets-replaced" && failure?.message.contains(keys.path) == true)
        #expect(throws: SubmitFailure.self) { try keys.credentials().change("cloud") { $0 = ["password": "new"] } }
        #expect(throws: SubmitFailure.self) { try keys.credentials().file.check() }
        try keys.write(sealed)
        try keys.credentials().file.open()
        #expect(try keys.credentials().secrets(of: "cloud") == ["password": Keys.canary])
    }

    @Test func `are noticed when somebody changed them`() throws {
        let keys = try encrypted()
        var lines = try keys.text().split(separator: "\n").map(String.init)
        let box = try #require(lines.firstIndex { $0.hasPrefix("box: ") })
        var characters = Array(lines[box])
        characters[20] = characters[20] == "A" ? "B" : "A"
        lines[box] = String(characters)
        try keys.write(lines.joined(separator: "\n"))
        #expect(throws: SubmitFailure.self) { try keys.credentials().secrets(of: "cloud") }
    }

    @Test(arguments: [
        ("cost: 131072", "cost: 1073741824"), ("cost: 131072", "cost: 1000"), ("cost: 131072", "cost: 131071"),
        ("block_size: 8", "block_size: 4096"), ("parallelism: 1", "parallelism: 4000"), ("sealed: 1", "sealed: 2"),
        ("key: scrypt", "key: none"), ("salt: ", "salt: AA=="),
    ])
    func `ask for no more than can be borne`(before: String, after: String) throws {
        let keys = try encrypted()
        let text = try keys.text()
        #expect(text.contains(before))
        try keys.write(text.replacing(before, with: after))
        let failure = #expect(throws: SubmitFailure.self) { try keys.credentials().file.check() }
        #expect(failure?.message.contains("is not a list of destinations") == true)
    }
}

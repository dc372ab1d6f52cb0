internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

extension Passphrase {
    /// One for sealing what is not encrypted.
    func choose(for path: FilePath) throws(SubmitFailure) -> [UInt8] {
        if let set = try set() { return set }
        return try type(for: path)
    }

    /// A new one, typed twice on the terminal.
    func type(for path: FilePath) throws(SubmitFailure) -> [UInt8] {
        guard let first = try HiddenInput.line("New passphrase for \(path): ") else {
            throw SubmitFailure(
                .giveUp, code: "passphrase",
                message:
                    "There is no new passphrase for \(path): give it with --stdin, as its first line, or run this at a "
                    + "terminal.")
        }
        guard !first.isEmpty else { throw .usage("An empty passphrase protects nothing.") }
        guard try HiddenInput.line("Once more: ") == first else {
            throw .usage("Those were two different passphrases: nothing has changed.")
        }
        return first
    }
}

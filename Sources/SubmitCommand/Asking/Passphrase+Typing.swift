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
            throw Self.missing(path, "to encrypt it")
        }
        guard !first.isEmpty else { throw .usage("An empty passphrase protects nothing.") }
        guard try HiddenInput.line("Once more: ") == first else {
            throw .usage("Those were two different passphrases: nothing has changed.")
        }
        return first
    }
}

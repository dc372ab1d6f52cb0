internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import Submit

/// A key made of a passphrase, with which secrets are encrypted.
///
/// Source: scrypt, RFC 7914, with 128 MiB of memory; ChaCha20-Poly1305, RFC 8439, with a new random nonce each time.
struct SealingKey: Sendable {
    /// How the key is made of the passphrase.
    struct Parameters: Sendable, Hashable {
        var cost = 1 << 17
        var blockSize = 8
        var parallelism = 1
        var salt: [UInt8]

        /// The parameters a file may ask for: what it takes to open it is bounded.
        var isBearable: Bool {
            (1 << 14...1 << 20).contains(cost) && cost.nonzeroBitCount == 1 && (1...32).contains(blockSize)
                && (1...4).contains(parallelism) && 128 * cost * blockSize <= 1 << 30 && (16...64).contains(salt.count)
        }
    }

    let parameters: Parameters
    private let key: SymmetricKey

    /// - Parameter parameters: of what is to be opened; `nil` for a new one.
    /// - Returns: `nil` where the memory for it cannot be had.
    init?(_ passphrase: [UInt8], _ parameters: Parameters? = nil) {
        self.parameters = parameters ?? Parameters(salt: SymmetricKey(size: .bits256).withUnsafeBytes(Array.init))
        guard
            let key = try? KDF.Scrypt.deriveKey(
                from: passphrase, salt: self.parameters.salt, outputByteCount: 32, rounds: self.parameters.cost,
                blockSize: self.parameters.blockSize, parallelism: self.parameters.parallelism)
        else { return nil }
        self.key = key
    }

    func sealed(_ bytes: [UInt8]) -> [UInt8]? {
        (try? ChaChaPoly.seal(bytes, using: key)).map { Array($0.combined) }
    }

    /// `nil` when it was encrypted with another passphrase, or is not as it was then.
    func opened(_ box: [UInt8]) -> [UInt8]? {
        guard let box = try? ChaChaPoly.SealedBox(combined: box) else { return nil }
        return (try? ChaChaPoly.open(box, using: key)).map { Array($0) }
    }
}

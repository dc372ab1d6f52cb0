internal import Foundation
internal import Yams

/// What stands in `secrets.yaml`.
enum SecretsText: Sendable {
    /// By destination and key.
    typealias Entries = [String: [String: String]]

    case plain(Entries)
    case sealed(SealingKey.Parameters, box: [UInt8])

    /// `nil` for text that is neither.
    init?(_ text: String) {
        let decoder = YAMLDecoder()
        if let secrets = try? decoder.decode(Entries?.self, from: text) ?? [:] {
            self = .plain(secrets)
            return
        }
        guard let written = try? decoder.decode(Sealed.self, from: text), written.sealed == 1, written.key == "scrypt",
            written.cipher == "chacha20-poly1305", let salt = Data(base64Encoded: written.salt),
            let box = Data(base64Encoded: written.box)
        else { return nil }
        let parameters = SealingKey.Parameters(
            cost: written.cost, blockSize: written.block_size, parallelism: written.parallelism, salt: Array(salt))
        guard parameters.isBearable else { return nil }
        self = .sealed(parameters, box: Array(box))
    }

    static func plainText(_ secrets: Entries) throws -> String {
        let encoder = YAMLEncoder()
        encoder.options.sortKeys = true
        return secrets.isEmpty ? "{}\n" : try encoder.encode(secrets)
    }

    static func sealedText(_ parameters: SealingKey.Parameters, box: [UInt8]) -> String {
        """
        # Encrypted with a passphrase: `submit secrets decrypt` makes it readable again.
        sealed: 1
        key: scrypt
        cost: \(parameters.cost)
        block_size: \(parameters.blockSize)
        parallelism: \(parameters.parallelism)
        salt: \(Data(parameters.salt).base64EncodedString())
        cipher: chacha20-poly1305
        box: \(Data(box).base64EncodedString())

        """
    }

    /// The first four make this no list of destinations, whose values would be mappings.
    private struct Sealed: Decodable {
        var sealed: Int
        var key: String
        var cost: Int
        var block_size: Int
        var parallelism: Int
        var salt: String
        var cipher: String
        var box: String
    }
}

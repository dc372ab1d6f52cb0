internal import Crypto
internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency

/// Hides what a service told in confidence, such as the URL of an upload, in checkpoints.
protocol CaptureCipher: Sendable {
    /// - Parameter purpose: what it belongs to: it opens for nothing else.
    func seal(_ bytes: [UInt8], for purpose: String) async throws(SubmitFailure) -> [UInt8]

    /// `nil` for what cannot be opened: another key, another purpose, or changed.
    func open(_ sealed: [UInt8], for purpose: String) async throws(SubmitFailure) -> [UInt8]?
}

/// Seals with AES-256-GCM and a key that lives beside the destination's secrets, made when it is first needed.
struct StoredKeyCipher: CaptureCipher {
    private let store: any SecretStore
    private let cached = Locked<[UInt8]?>(nil)

    /// Its name in the store.
    static let name = "checkpoint_key"

    init(_ store: any SecretStore) {
        self.store = store
    }

    func seal(_ bytes: [UInt8], for purpose: String) async throws(SubmitFailure) -> [UInt8] {
        let key = try await key()
        guard
            let box = try? AES.GCM.seal(
                bytes, using: SymmetricKey(data: key), authenticating: Array(purpose.utf8)
            ).combined
        else {
            throw SubmitFailure(.giveUp, code: "seal", message: "What has to be kept secret could not be encrypted.")
        }
        return [UInt8](box)
    }

    func open(_ sealed: [UInt8], for purpose: String) async throws(SubmitFailure) -> [UInt8]? {
        guard let key = try await found() else { return nil }
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: Array(purpose.utf8))
        else { return nil }
        return [UInt8](bytes)
    }

    private func found() async throws(SubmitFailure) -> [UInt8]? {
        if let key = cached.withLock({ $0 }) { return key }
        let key = try await store.read()[Self.name].flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
        guard let key, key.count == 32 else { return nil }
        cached.withLock { $0 = key }
        return key
    }

    private func key() async throws(SubmitFailure) -> [UInt8] {
        if let key = try await found() { return key }
        let fresh = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64EncodedString()
        // Another process may have made one meanwhile.
        let text = try await store.exclusively { (secrets) throws(SubmitFailure) -> String in
            if let there = secrets[Self.name], Data(base64Encoded: there)?.count == 32 { return there }
            secrets[Self.name] = fresh
            return fresh
        }
        let key = [UInt8](Data(base64Encoded: text) ?? Data())
        cached.withLock { $0 = key }
        return key
    }
}

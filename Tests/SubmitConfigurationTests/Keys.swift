import Foundation
import TestServers

@testable import SubmitConfiguration

/// A configuration folder of its own.
struct Keys {
    let folder = TemporaryFolder()
    var environment: [String: String] = [:]

    static let canary = "c4n4ry-0f-th3-v4ult"

    /// Another one is as another process.
    func credentials() -> CredentialStore {
        let home = ["HOME": folder.path("home"), "XDG_CONFIG_HOME": folder.path("config")]
        return CredentialStore(AppPaths(environment: home.merging(environment) { $1 }))
    }

    func store(_ destination: String, set: [String: String] = [:]) -> DestinationSecrets {
        DestinationSecrets(destination, credentials(), set: set, common: [:])
    }

    var path: String { folder.path("config/submit/secrets.yaml") }
    func text() throws -> String { try folder.text("config/submit/secrets.yaml") }

    func write(_ text: String) throws {
        try folder.folder("config/submit")
        try folder.write(text, to: "config/submit/secrets.yaml")
        chmod(path, 0o600)
    }
}

internal import Foundation
package import Submit
package import SubmitEngine
internal import SystemPackage

/// Keeps what a login at a destination gives, and forgets it again.
package struct LoginStore: Sendable {
    /// The destination's own name.
    package let name: String
    package let catalog: DestinationCatalog
    package let destination: Destination
    package let facet: any LoginFacet
    private let type: SubmitterType

    private var places: AppPaths { catalog.places }

    /// - Throws: for a destination where nobody can sign in, with where its credentials are set.
    package init(_ name: String, _ catalog: DestinationCatalog) throws(SubmitFailure) {
        let destination = try catalog.destination(name)
        self.name = destination.name
        self.destination = destination
        self.catalog = catalog
        type = destination.type
        guard let facet = destination.submitter.facets.login else {
            throw Self.refusal(destination, catalog.places)
        }
        self.facet = facet
    }

    private static func refusal(_ destination: Destination, _ places: AppPaths) -> SubmitFailure {
        let name = destination.name
        let keys = destination.type.settings.filter { $0.kind == .secret }.map(\.name)
        guard let first = keys.first else {
            return SubmitFailure(.giveUp, code: "no-login", message: "“\(name)” has no login: it needs no credentials.")
        }
        return SubmitFailure(
            .giveUp, code: "no-login",
            message:
                "“\(name)” has no login: set its secrets (\(keys.joined(separator: ", "))) in the environment, such as "
                + "\(DestinationCatalog.variable(name, first)), or below “\(name):” in \(places.secrets).")
    }

    /// Whether there are credentials in use that a login could have given.
    package func isSignedIn() async throws(SubmitFailure) -> Bool {
        let secrets = try await catalog.settings(name, type).secretStore.read()
        return facet.secrets.contains { secrets[$0]?.isEmpty == false }
    }

    /// The environment variables that hold what a login would give.
    package var variables: [String] {
        facet.secrets.sorted().filter { catalog.ownText(of: $0, name) != nil }
            .map { DestinationCatalog.variable(name, $0) }
    }

    /// - Throws: when what a login gives would not be used, before anyone has signed in for it.
    package func checkUse() throws(SubmitFailure) {
        if let variable = variables.first {
            throw SubmitFailure(
                .giveUp, code: "environment",
                message: "\(variable) is set and would be used instead of what a login gives: unset it first.")
        }
        if catalog.givenSecrets[name] != nil {
            throw SubmitFailure(
                .giveUp, code: "configuration",
                message:
                    "“\(name)” was added with secrets, which would be used instead of what a login gives: add it without."
            )
        }
        for key in type.settings where facet.secrets.contains(key.name) {
            let command = key.commandKey
            guard let line = catalog.file.destinations[name]?.values[command]?.line else { continue }
            throw SubmitFailure(
                .giveUp, code: "configuration",
                message:
                    "\(catalog.file.path):\(line): “\(command)” would be used instead of what a login gives: take it out "
                    + "first.")
        }
    }

    /// Signs in by a manager, and keeps what that gives.
    ///
    /// - Throws: what ``SubmitManager/login(at:as:within:answers:show:)`` and ``keep(_:)`` do.
    package func login(
        of manager: SubmitManager, as client: LoginClient, within limit: Duration?,
        answers: AsyncStream<LoginDelivery>?, show: (LoginPrompt) -> Void
    ) async throws(SubmitFailure) -> LoginGrant {
        manager.add(destination)
        let grant = try await manager.login(at: name, as: client, within: limit, answers: answers, show: show)
        try await keep(grant)
        return grant
    }

    /// The destination as it is from now on, for which the configuration need not be read again.
    func destination(with grant: LoginGrant) throws(SubmitFailure) -> Destination {
        var catalog = catalog
        var entry =
            catalog.file.destinations[name]
            ?? ConfigurationFile.Entry(type: ConfigurationFile.Value(text: type.name, line: 0), line: 0, values: [:])
        for (key, value) in grant.settings where entry.values[key] == nil {
            entry.values[key] = ConfigurationFile.Value(text: value, line: 0)
        }
        catalog.file.destinations[name] = entry
        let settings = try catalog.settings(name, type)
        return Destination(name: name, type: type, submitter: try type.make(settings), settings: settings)
    }

    /// Writes the secrets where only their owner can read them, and into the configuration what is not set there.
    ///
    /// - Throws: when they cannot be used or kept; then they are made worthless, as far as that can be done. When only
    ///   the configuration cannot be written, with what to write there by hand.
    package func keep(_ grant: LoginGrant) async throws(SubmitFailure) {
        let settings: [(key: String, value: String)]
        do throws(SubmitFailure) {
            settings = try missing(grant)
            try await change { [facet] secrets in
                for key in facet.secrets { secrets[key] = nil }
                secrets.merge(grant.secrets) { $1 }
            }
        } catch {
            let unused = try? type.make(catalog.settings(name, type).adding(grant)).facets.login
            _ = try? await unused?.revoke()
            throw error
        }
        try configure(settings)
    }

    /// Forgets the secrets that a login gives.
    package func forget() async throws(SubmitFailure) {
        try await change { secrets in
            for key in facet.secrets { secrets[key] = nil }
        }
    }

    /// What of the settings a login gives is to be set.
    private func missing(_ grant: LoginGrant) throws(SubmitFailure) -> [(key: String, value: String)] {
        let settings = try catalog.settings(name, type)
        var missing: [(key: String, value: String)] = []
        for (key, value) in grant.settings.sorted(by: { $0.key < $1.key }) {
            guard let set = settings[key] else {
                missing.append((key, value))
                continue
            }
            guard set != value else { continue }
            let line = catalog.file.destinations[name]?.values[key]?.line
            throw SubmitFailure(
                .giveUp, code: "other-account",
                message:
                    "“\(grant.account)” signed in at “\(name)”, whose \(key) is “\(set)”, so that nothing was kept: "
                    + "sign in as that, or take “\(key)” out of "
                    + (line.map { "\(catalog.file.path):\($0)" } ?? "the environment") + " and sign in again.")
        }
        return missing
    }

    private func configure(_ settings: [(key: String, value: String)]) throws(SubmitFailure) {
        // What a program adds stands in no configuration.
        if settings.isEmpty || catalog.file.destinations[name]?.line == 0 { return }
        let path = places.configuration
        var text = ConfigurationText((try? String(contentsOfFile: path.string, encoding: .utf8)) ?? "", path: path)
        if catalog.isConfigured(name) {
            for (key, value) in settings { try text.set(key, value, of: name) }
        } else {
            try text.add(name, type: type.name, values: settings)
        }
        do {
            try PrivateFile.write(text.text, to: path)
        } catch {
            let lines = settings.map { "“\($0.key): \($0.value)”" }.joined(separator: " and ")
            throw SubmitFailure(
                .giveUp, code: "configuration",
                message:
                    "\(path) cannot be written: check that you own its folder, and add \(lines) to the destination "
                    + "“\(name)”.")
        }
    }

    private func change(_ edit: (inout [String: String]) -> Void) async throws(SubmitFailure) {
        // A refresh that is under way would bring back what it began with.
        let lock = try await catalog.credentials.lock(name)
        defer { withExtendedLifetime(lock) {} }
        try catalog.credentials.change(name, edit)
    }
}

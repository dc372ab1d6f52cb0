internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitHTTP
internal import SubmitPlatform
internal import SubmitPrograms
internal import SystemPackage

extension Examination {
    /// What is configured, and of each secret where it comes from.
    ///
    /// - Parameter catalog: or why there is none.
    static func ofConfiguration(_ places: AppPaths, _ catalog: Result<DestinationCatalog, SubmitFailure>) -> Examination
    {
        var found = Examination()
        found.add("configuration", file(places.configuration))
        found.add("secrets file", file(places.secrets))
        let variables = places.environment.keys.filter { $0.hasPrefix("SUBMIT_") }.sorted()
        found.add("variables that are set", .list(variables))
        switch catalog {
        case .failure(let failure): found.troubles.append(failure.advised())
        case .success(let catalog):
            found.add("secrets are kept in", place(catalog))
            if !catalog.file.network.isEmpty {
                let network = catalog.file.network.sorted { $0.key < $1.key }
                found.add("network", .facts(network.map { ($0.key, .text(shown($0.value.text))) }))
            }
            found.add("used without --to", .list(catalog.file.defaults.map(\.text)))
            let names = catalog.names.filter { catalog.isConfigured($0) }
            found.add("destinations", .facts(names.map { ($0, destination($0, catalog)) }))
        }
        return found
    }

    private static func destination(_ name: String, _ catalog: DestinationCatalog) -> DoctorFact {
        let entry = catalog.file.destinations[name]
        var facts: [(name: String, finding: DoctorFact)] = [("type", .text(entry?.type.text ?? name))]
        // A program would have to be started to say which of its settings are secret.
        let type = catalog.isExternal(name) ? nil : try? catalog.type(of: name)
        let plain = Set((type?.settings ?? []).filter { $0.kind != .secret }.map(\.name))
        var values = (entry?.values ?? [:]).mapValues { (text: $0.text, source: "") }
        for key in type?.settings ?? [] where key.kind != .secret {
            guard let text = catalog.ownText(of: key.name, name) else { continue }
            values[key.name] = (text, " (from \(DestinationCatalog.variable(name, key.name)))")
        }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let isShown = plain.contains(key)
            facts.append(
                (key, .text((isShown ? shown(value.text) : "… (\(value.text.utf8.count) bytes)") + value.source)))
        }
        guard let type else { return .facts(facts) }
        let kept =
            (try? catalog.credentials.file.isEncrypted) == false
            ? (try? catalog.credentials.file.secrets(of: name)) ?? [:] : nil
        let sources = catalog.secretSources(of: name, type, kept: kept.map { Set($0.keys) })
        for key in type.settings where key.kind == .secret {
            let unseen =
                kept == nil ? "the secrets file, which is encrypted, or nowhere" : "nowhere, or the Secret Service"
            facts.append(("secret \(key.name)", .text("from \(sources[key.name] ?? unseen)")))
        }
        return .facts(facts)
    }

    /// A setting without what it might give away: whoever wrote a password into a URL or a command line.
    private static func shown(_ text: String) -> String { ForeignText.line(TraceRedaction.url(text)) }

    private static func place(_ catalog: DestinationCatalog) -> String {
        do throws(SubmitFailure) {
            return try catalog.credentials.place.title
        } catch {
            return error.message
        }
    }

    private static func file(_ path: FilePath) -> String {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return "\(path): \(Errno(rawValue: errno))" }
        let owner = status.st_uid == getuid() ? "yours" : status.st_uid == 0 ? "root's" : "of another user"
        return "\(path): \(status.st_size) bytes, mode \(String(status.st_mode & 0o7777, radix: 8)), \(owner)"
    }
}

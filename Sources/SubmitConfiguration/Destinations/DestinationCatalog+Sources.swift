public import Submit
public import SubmitLoopBack

extension DestinationCatalog {
    /// A catalogue of others, as the configuration has it below `sources`. Its settings and secrets are looked for as those of a
    /// destination of its name are.
    ///
    /// No network is touched. The calling thread waits for a program that prints a secret.
    ///
    /// - Throws: `unknown-source`, to give up with, when there is none, with the nearest names; `configuration` when a setting is
    ///   missing, unknown or wrong, with file and line; `secrets` or `passphrase` when its secrets cannot be read.
    public func source(_ name: String) throws(SubmitFailure) -> LoopBackCatalogue {
        guard let entry = file.sources[name], let transport else {
            let names = file.sources.keys.sorted()
            throw SubmitFailure(
                .giveUp, code: "unknown-source",
                message: "There is no source “\(name)”\(NearestNames.hint(for: name, among: names)): "
                    + "“sources” in \(file.path) names them.")
        }
        var sources = self
        sources.file = file.ofSources
        try check(entry, Self.sourceType, "the source “\(name)”", general: [])
        let settings = try sources.settings(name, Self.sourceType)
        return try located(entry.line) { () throws(SubmitFailure) in
            try LoopBackCatalogue(settings, transport: transport)
        }
    }

    /// What can be configured of a source. Nothing is ever sent to one.
    private static let sourceType = SubmitterType(
        name: "loopback", summary: "a service that answers LoopBack's filters",
        capabilities: Capabilities(ordering: .sequential, kinds: [], requiresNetwork: true),
        settings: LoopBackCatalogue.settings
    ) { (settings) throws(SubmitFailure) in
        throw settings.invalid("type", "is a source, to which nothing can be sent")
    }
}

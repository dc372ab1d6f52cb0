internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

extension Conversation {
    private var hello: HostRequest { .hello(versions: PluginProtocol.versions, host: surroundings.host) }

    /// Asks what the program is, and holds the thread until it has said so.
    func greetBlocking() throws(SubmitFailure) -> TypeDescription {
        try greeted(askBlocking(hello))
    }

    /// Asks what the program is.
    func greet() async throws(SubmitFailure) -> TypeDescription {
        try greeted(await ask(hello))
    }

    private func greeted(_ end: OpenRequest.End) throws(SubmitFailure) -> TypeDescription {
        guard case .hello(let type)? = try end.get() else { throw .cancelled }
        return type
    }

    /// Tells the settings, and holds the thread until the program is configured.
    func configureBlocking(_ settings: DestinationSettings) throws(SubmitFailure) -> ConfiguredDescription {
        try configured(askBlocking(configuration(settings)))
    }

    /// Tells the settings.
    func configure(_ settings: DestinationSettings) async throws(SubmitFailure) -> ConfiguredDescription {
        try configured(await ask(configuration(settings)))
    }

    private func configured(_ end: OpenRequest.End) throws(SubmitFailure) -> ConfiguredDescription {
        do throws(SubmitFailure) {
            if case .configured(let description)? = try end.get() { return description }
            throw .cancelled
        } catch {
            // What a configuration can be wrong in concerns the destination, and no single item.
            switch error.remedy {
            case .giveUp, .sourceLost, .outcomeUnknown:
                throw SubmitFailure(.hold(.misconfigured, after: nil), code: error.code, message: error.message)
            default: throw error
            }
        }
    }

    private func configuration(_ settings: DestinationSettings) -> HostRequest {
        state.withLock { state in
            let keys = state.type?.settings ?? []
            let secrets = keys.filter { $0.kind == .secret && settings.secret($0.name) != nil }.map(\.name)
            state.settings = settings
            state.texts = ProgramTexts(secrets: secrets.compactMap { settings.secret($0) })
            var values: [String: String] = [:]
            for key in keys where key.kind != .secret { values[key.name] = settings[key.name] }
            return .configure(destination: settings.destination, settings: values, secrets: Set(secrets))
        }
    }
}

internal import Submit
internal import SubmitPluginProtocol

extension ExternalSubmitter {
    var facets: Facets {
        let known = keeper.configured.facets
        return Facets(
            albums: known.contains(.albums) ? ExternalFacets(keeper: keeper) : nil,
            presence: known.contains(.presence) ? ExternalFacets(keeper: keeper) : nil,
            links: known.contains(.links) ? ExternalFacets(keeper: keeper) : nil,
            leftovers: known.contains(.leftovers) ? ExternalLeftovers(keeper: keeper) : nil,
            removal: known.contains(.removal) ? ExternalFacets(keeper: keeper) : nil,
            login: known.contains(.login) ? ExternalLogin(keeper: keeper) : nil)
    }
}

extension ProgramSupervisor {
    /// Asks what was promised to be known.
    func ask(known request: HostRequest) async throws(SubmitFailure) -> RequestOutcome {
        do throws(SubmitFailure) {
            if let outcome = try await ask(request) { return outcome }
        } catch {
            throw error.ofNoSource
        }
        throw SubmitFailure(
            .giveUp, code: "submitter-unusable",
            message:
                "“\(settings.destination)” could not be asked: “\(program.path)” does not know “\(request.kind.rawValue)”, though "
                + "it said so; mend it.")
    }
}

/// What another program knows besides submitting.
struct ExternalFacets: AlbumFacet, PresenceFacet, LinkFacet, RemovalFacet {
    let keeper: ProgramSupervisor

    func list() async throws(SubmitFailure) -> [String] {
        guard case .albums(let names) = try await keeper.ask(known: .albums) else { return [] }
        return names
    }

    func create(_ album: String) async throws(SubmitFailure) {
        _ = try await keeper.ask(known: .createAlbum(album))
    }

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        await presence(.presence(item, receipt))
    }

    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        await presence(.presence(item, receipt, .readback))
    }

    private func presence(_ request: HostRequest) async -> Presence {
        do throws(SubmitFailure) {
            if case .presence(let presence) = try await keeper.ask(known: request) { return presence }
            return .unknown("It cannot be told.")
        } catch {
            return .unknown(error.message)
        }
    }

    var longestLife: Duration { .seconds(keeper.configured.longestLink ?? 3600) }

    func link(to receipt: Receipt, validFor life: Duration) async throws(SubmitFailure) -> String {
        let seconds = max(1, Int(clamping: life.components.seconds))
        guard case .link(let url) = try await keeper.ask(known: .link(receipt, seconds: seconds)) else {
            throw .cancelled
        }
        return url
    }

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        _ = try await keeper.ask(known: .remove(receipt))
    }

    func removeAlbum(_ album: String) async throws(SubmitFailure) {
        _ = try await keeper.ask(known: .removeAlbum(album))
    }
}

/// What broken uploads left, as another program finds it.
struct ExternalLeftovers: LeftoverFacet {
    let keeper: ProgramSupervisor

    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        // A checkpoint that is no text is none of this program's.
        let texts = checkpoints.compactMap { String(validating: $0.data, as: UTF8.self) }
        guard case .leftovers(let leftovers) = try await keeper.ask(known: .leftovers(sparing: texts)) else {
            return []
        }
        return leftovers
    }

    func remove(_ leftover: Leftover) async throws(SubmitFailure) {
        _ = try await keeper.ask(known: .removeLeftover(leftover))
    }
}

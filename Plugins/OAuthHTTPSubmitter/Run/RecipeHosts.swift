internal import Submit
internal import SubmitHTTP
internal import SubmitRecipes

/// The origins that one destination's requests may go to: no others get a photo, a caption or a credential.
struct RecipeHosts: Sendable {
    private enum Allowed: Sendable {
        case origin(Endpoint)
        /// With its dot.
        case below(String)
    }

    /// What URLs that begin with `/` are read at; `nil` where the first host is a family of them.
    let base: Endpoint?
    private let allowed: [Allowed]

    /// - Throws: a failure that names the setting that is no URL.
    init(_ recipe: Recipe, _ settings: DestinationSettings) throws(SubmitFailure) {
        var allowed: [Allowed] = []
        for host in recipe.hosts {
            switch host.kind {
            case .origin(let text):
                guard let endpoint = try? Endpoint(text) else {
                    throw RecipeFault(host.place, "This host is none.").failure(recipe, at: settings.destination)
                }
                allowed.append(.origin(endpoint))
            case .subdomains(let suffix): allowed.append(.below(suffix.lowercased()))
            case .setting(let name):
                let text = settings[name] ?? recipe.settings.first { $0.name == name }?.defaultValue.asText
                guard let text else { throw settings.invalid(name, "is not set") }
                let endpoint: Endpoint
                do throws(Endpoint.Invalid) {
                    endpoint = try Endpoint(text)
                } catch {
                    throw settings.invalid(name, error.complaint)
                }
                try settings.check(endpoint, of: name, allowsPlain: try settings.boolean("insecure") ?? false)
                allowed.append(.origin(endpoint))
            }
        }
        self.allowed = allowed
        if case .origin(let endpoint)? = allowed.first { base = endpoint } else { base = nil }
    }

    /// For sentences.
    var name: String { base?.authority ?? "the service" }

    /// Whether a request may go to a URL.
    func allow(_ url: String) -> Bool {
        guard let there = Self.origin(of: url) else { return false }
        return allowed.contains { allowed in
            switch allowed {
            case .origin(let endpoint): endpoint.isSameOrigin(as: there)
            case .below(let suffix): there.isSecure && there.port == 443 && there.host.hasSuffix(suffix)
            }
        }
    }

    /// The origin of an absolute URL; `nil` for what is none.
    static func origin(of url: String) -> Endpoint? {
        guard let colon = url.firstRange(of: "://") else { return nil }
        let authority = url[colon.upperBound...].prefix { !"/?#\\".contains($0) }
        return try? Endpoint("\(url[..<colon.upperBound])\(authority)")
    }

    /// The absolute URL for one of the recipe.
    ///
    /// - Parameter isGiven: it is a URL that the service gave, in which a path counts from the origin.
    /// - Throws: a fault for one that leads elsewhere.
    func absolute(_ url: String, isGiven: Bool, at place: RecipePlace) throws(RecipeFault) -> String {
        var url = url
        if url.hasPrefix("/"), !url.hasPrefix("//") {
            guard let base else {
                throw RecipeFault(
                    place, "This URL needs a host before it, since the first of “hosts” is no single one.")
            }
            url = isGiven ? base.origin + url : base.url(url)
        }
        guard allow(url) else {
            let there = Self.origin(of: url)?.origin ?? "something that is no web address"
            throw RecipeFault(
                place, "This would send a request to \(there), which is not one of “hosts”: it was not sent.")
        }
        return url
    }
}

extension Endpoint {
    func isSameOrigin(as other: Endpoint) -> Bool {
        isSecure == other.isSecure && host == other.host && port == other.port
    }
}

extension RecipeFault {
    /// What it means for a destination, or for a file where one is named.
    func failure(_ recipe: Recipe, at destination: String, file: String? = nil) -> SubmitFailure {
        let what = file.map { "“\($0)” was not sent to “\(destination)”" } ?? "“\(destination)” cannot be used"
        return SubmitFailure(
            file == nil ? .hold(.misconfigured, after: nil) : .giveUp, code: "recipe",
            message: "\(what), since the recipe of \(recipe.title) cannot be followed (\(description)) Mend the recipe."
        )
    }
}

internal import SubmitHTTP

extension RecipeNode {
    /// An origin that requests may go to.
    func host() throws(RecipeFault) -> Recipe.Host {
        let template = try template()
        if template.pieces.count == 1, case .value(let expression) = template.pieces[0] {
            guard case .member(.name("settings", _), .literal(.text(let name)), _) = expression else {
                throw RecipeFault(place, "A host is written out, or is a setting of kind url: {{ settings.NAME }}.")
            }
            return Recipe.Host(place: place, kind: .setting(name))
        }
        guard let text = template.constant else {
            throw RecipeFault(
                place, "A host is written out, or is one setting: {{ settings.NAME }} with nothing around it.")
        }
        if text.hasPrefix("http://") {
            throw RecipeFault(place, "“\(text)” shows everything to the network: hosts must begin with https://.")
        }
        for start in ["https://*.", "*."] where text.hasPrefix(start) {
            let domain = text.dropFirst(start.count)
            let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
            guard labels.count > 1, !labels.contains(""), let endpoint = try? Endpoint("https://\(domain)"),
                endpoint.authority == domain
            else {
                throw RecipeFault(place, "After “*.” there must be a domain with a dot in it, such as *.example.com.")
            }
            return Recipe.Host(place: place, kind: .subdomains(".\(domain)"))
        }
        let endpoint: Endpoint
        do throws(Endpoint.Invalid) {
            endpoint = try Endpoint(text)
        } catch {
            throw RecipeFault(place, "“\(text)” \(error.complaint).")
        }
        guard text == endpoint.origin else {
            throw RecipeFault(
                place,
                "A host is only https:// and a name in small letters, such as \(endpoint.origin): paths stand in “url”."
            )
        }
        return Recipe.Host(place: place, kind: .origin(endpoint.origin))
    }
}

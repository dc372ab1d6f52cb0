/// Which services a cloud has, and where.
///
/// Source: "Service catalog and endpoints" in the Identity API v3 reference.
struct ServiceCatalogue: Decodable {
    private let services: [Service]

    private struct Service: Decodable {
        let type: String
        let endpoints: [Address]?
    }

    private struct Address: Decodable {
        let interface: String
        let regionId: String?
        let region: String?
        let url: String

        var place: String? { regionId ?? region }
    }

    init(from decoder: any Decoder) throws {
        services = try [Service](from: decoder)
    }

    /// The object store's URL.
    ///
    /// - Parameter region: `nil` for the only one.
    /// - Throws: a failure that lists what there is instead.
    func objectStore(region: String?, interface: SignIn.Interface) throws(OpenStackFailure) -> String {
        func failure(_ reason: String) -> OpenStackFailure { .misconfigured(reason, code: "no-endpoint") }
        func list(_ texts: some Sequence<String>) -> String { Set(texts).sorted().quotedList }

        let all = services.filter { $0.type == "object-store" }.flatMap { $0.endpoints ?? [] }
        guard !all.isEmpty else {
            throw failure(
                "the project has no object store, but \(list(services.map(\.type))); choose another project, or set "
                    + "“storage_url”")
        }
        let here = all.filter { region == nil || $0.place == region }
        guard !here.isEmpty else {
            throw failure(
                "there is no object store in the region “\(region ?? "")”, but in \(list(all.compactMap(\.place))); "
                    + "set the region to one of these")
        }
        let found = here.filter { $0.interface == interface.rawValue }
        guard let first = found.first else {
            let place = region.map { " in the region “\($0)”" } ?? ""
            throw failure(
                "the object store has no \(interface.rawValue) address\(place), but \(list(here.map(\.interface))); "
                    + "set the interface to one of these")
        }
        // Which comes first may change from one answer to the next, and photos would go now here and now there.
        guard found.allSatisfy({ $0.url == first.url }) else {
            throw failure(
                "there are object stores in \(list(found.compactMap(\.place))); set the region to one of these")
        }
        return first.url
    }
}

internal import FoundationEssentials
internal import Submit

/// The answer of Identity v3 to a request for a token.
struct KeystoneToken: Decodable {
    let catalogue: ServiceCatalogue?
    /// Of the token, in seconds; `nil` where that is not known.
    let life: Double?

    private enum Field: String, CodingKey {
        case token, catalog, issuedAt, expiresAt
    }

    init(from decoder: any Decoder) throws {
        let token = try decoder.container(keyedBy: Field.self).nestedContainer(keyedBy: Field.self, forKey: .token)
        catalogue = try token.decodeIfPresent(ServiceCatalogue.self, forKey: .catalog)
        func time(_ field: Field) -> Date? {
            // Fractions of a second may be there or not.
            let text = try? token.decodeIfPresent(String.self, forKey: field)
            return text.flatMap { try? Date($0.prefix { $0 != "." && $0 != "Z" } + "Z", strategy: .iso8601) }
        }
        // The service's clock and ours may differ: what counts is how long the token lives.
        life = time(.expiresAt).map { $0.timeIntervalSince(time(.issuedAt) ?? Date()) }
    }

    /// `nil` when the bytes are something else.
    init?(_ body: [UInt8]) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let token = try? decoder.decode(KeystoneToken.self, from: Data(body)) else { return nil }
        self = token
    }
}

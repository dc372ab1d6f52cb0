extension Recipe {
    /// The recipes in `Recipes`. A new file is one line here and one below.
    private enum Shipped: String, CaseIterable {
        case immich

        var bytes: [UInt8] {
            switch self {
            case .immich: PackageResources.immich_yaml
            }
        }
    }

    /// The names of the recipes that come with the program, in the order of the alphabet. Nothing is read for it.
    public static var shipped: [String] { Shipped.allCases.map(\.rawValue).sorted() }

    /// The text of a recipe that comes with the program; `nil` for a name that is none of ``shipped``.
    public static func shippedText(_ name: String) -> String? {
        Shipped(rawValue: name).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}

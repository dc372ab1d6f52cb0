extension Recipe {
    /// The recipes in `Recipes`. A new file is one line here and one below.
    private enum Shipped: String, CaseIterable {
        case dropbox
        case facebook
        case flickr
        case googlePhotos = "google-photos"
        case hatenaFotolife = "hatena-fotolife"
        case imgur
        case immich
        case mastodon
        case mixi
        case nextcloud
        case pixelfed
        case tumblr
        case wordpress
        case x

        var bytes: [UInt8] {
            switch self {
            case .dropbox: PackageResources.dropbox_yaml
            case .facebook: PackageResources.facebook_yaml
            case .flickr: PackageResources.flickr_yaml
            case .googlePhotos: PackageResources.google_photos_yaml
            case .hatenaFotolife: PackageResources.hatena_fotolife_yaml
            case .imgur: PackageResources.imgur_yaml
            case .immich: PackageResources.immich_yaml
            case .mastodon: PackageResources.mastodon_yaml
            case .mixi: PackageResources.mixi_yaml
            case .nextcloud: PackageResources.nextcloud_yaml
            case .pixelfed: PackageResources.pixelfed_yaml
            case .tumblr: PackageResources.tumblr_yaml
            case .wordpress: PackageResources.wordpress_yaml
            case .x: PackageResources.x_yaml
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

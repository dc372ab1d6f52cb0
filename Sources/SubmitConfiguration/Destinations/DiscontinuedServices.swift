internal import Submit

/// Services that people may still ask for by name, and that cannot be a destination as others are.
enum DiscontinuedServices {
    /// It has closed.
    private static let departed = "departed"
    /// It is there, and no recipe can send to it.
    private static let beyondRecipes = "beyond-recipes"

    /// What ``failure(on:)`` has.
    static let codes = [departed, beyondRecipes]

    /// What became of each, and which way is left.
    private static let known = [
        "minus": (departed, "Minus has closed, so that nothing can be sent there; Imgur and Immich take its place."),
        "picasa": picasa, "picasaweb": picasa, "picasa-web": picasa,
        "evernote": (
            beyondRecipes,
            "Evernote takes notes by a protocol that no recipe can speak (Thrift): a program “submit-to-evernote” on PATH "
                + "would be the way."
        ),
        "mixi2": (
            beyondRecipes,
            "mixi2 takes posts by a protocol that no recipe can speak (gRPC): a program “submit-to-mixi2” on PATH would be "
                + "the way."
        ),
    ]

    private static let picasa = (
        departed,
        "Picasa Web Albums has closed, so that nothing can be sent there; its successor is Google Photos, “google-photos”."
    )

    /// - Returns: `nil` for any other name.
    static func failure(on name: String) -> SubmitFailure? {
        known[name.lowercased()].map { SubmitFailure(.giveUp, code: $0.0, message: $0.1) }
    }
}

/// Services that people may still ask for by name, and that cannot be a destination as others are.
enum DepartedServices {
    /// One sentence on each: what became of it, and which way is left.
    private static let sentences = [
        "minus":
            "Minus has closed, so that nothing can be sent there; Imgur and Immich take its place: `submit types` lists what "
            + "there is.",
        "picasa": picasa, "picasaweb": picasa, "picasa-web": picasa,
        "evernote":
            "Evernote takes notes by a protocol that no recipe can speak (Thrift): a program “submit-to-evernote” on PATH "
            + "would be the way, and `submit new-submitter` begins one.",
        "mixi2":
            "mixi2 takes posts by a protocol that no recipe can speak (gRPC): a program “submit-to-mixi2” on PATH would be "
            + "the way, and `submit new-submitter` begins one.",
    ]

    private static let picasa =
        "Picasa Web Albums has closed, so that nothing can be sent there; its successor is Google Photos: "
        + "`--to google-photos`."

    static func sentence(on name: String) -> String? { sentences[name.lowercased()] }
}

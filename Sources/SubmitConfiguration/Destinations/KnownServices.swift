internal import Submit

/// Services and protocols that people ask for by name, and that are no types: which way is left, or leads there.
enum KnownServices {
    /// It has closed.
    private static let departed = "departed"
    /// It is there, and no recipe can send to it.
    private static let beyondRecipes = "beyond-recipes"

    /// What ``failure(on:)`` has.
    static let codes = [departed, beyondRecipes, byBridge, byAnnex, byShare, otherType]

    /// Names that people may give to a folder, too.
    private static let shares = ["smb", "samba", "cifs", "nfs", "sftp", "afp", "sshfs"]
    private static let boxes = ["nas", "synology", "qnap", "truenas"]

    /// Whether it is a name for the storage of a person, who may have mounted it.
    static func mayBeFolder(_ name: String) -> Bool {
        let name = name.lowercased()
        return (shares + boxes + (types["file"] ?? [])).contains(name)
    }

    /// A bridge leads there.
    private static let byBridge = "by-rclone"
    private static let byAnnex = "by-git-annex"
    /// It is a folder where it is mounted, and else by a bridge.
    private static let byShare = "by-share"
    /// A type of another name leads there.
    private static let otherType = "other-type"

    /// What rclone has a backend for and we have no type, by how people call it.
    private static let ofRclone = [
        "ftp", "ftps", "gdrive", "google-drive", "googledrive", "drive", "onedrive", "sharepoint", "box", "pcloud",
        "mega",
        "azure", "azureblob", "proton", "protondrive", "proton-drive", "hidrive", "jottacloud", "koofr", "yandex",
        "icloud",
        "iclouddrive", "storj", "putio", "seafile", "internxt", "filen",
    ]

    /// Types by what people call what they lead to.
    private static let types = [
        "couchdb": ["pouchdb", "couchbase-lite", "couchdb3"],
        "webdav": boxes + ["opencloud", "davs", "seafdav"],
        "objstore": ["aws", "minio", "b2", "backblaze", "wasabi", "r2", "gcs", "ceph", "garage", "swift", "spaces"],
        "google-photos": ["googlephotos", "google_photos", "google photos", "gphotos", "google"],
        "x": ["twitter"], "facebook": ["fb", "meta"], "wordpress": ["wp"], "file": ["disk", "usb", "card", "path"],
        "command": ["rsync", "scp", "ssh", "curl"], "hatena-fotolife": ["hatena", "fotolife"],
    ]

    /// What leads to what there is by another name.
    private static func way(to name: String) -> (String, String)? {
        if shares.contains(name) {
            return (
                byShare,
                "There is no type “\(name)”: a mounted share is a folder, with the type “file”. rclone reaches other shares, with "
                    + "the type “rclone”."
            )
        }
        if ofRclone.contains(name) {
            return (byBridge, "There is no type “\(name)”: rclone reaches it, with the type “rclone”.")
        }
        if ["bup", "borg", "glacier", "tahoe", "ipfs", "ddar"].contains(name) {
            return (
                byAnnex, "There is no type “\(name)”: a special remote may reach it, with the type “git-annex”."
            )
        }
        return types.first { $1.contains(name) }.map {
            let folder = boxes.contains(name) ? ", or “file” for a mounted folder" : ""
            return (otherType, "There is no type “\(name)”: the type is “\($0.key)”\(folder).")
        }
    }

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
        let name = name.lowercased()
        return (known[name] ?? way(to: name)).map { SubmitFailure(.giveUp, code: $0.0, message: $0.1) }
    }
}

extension ServerProfile {
    /// For people: what was found.
    func sentence(server host: String, base: DAVPath) -> String {
        let name =
            switch vendor {
            case .nextcloud: "Nextcloud"
            case .ownCloud: "ownCloud"
            case .infiniteScale: "ownCloud Infinite Scale"
            case .sabreDAV: "SabreDAV"
            case .apache: "Apache"
            case .nginx: "nginx"
            case .lighttpd: "lighttpd"
            case .synology: "Synology"
            case .rclone: "rclone"
            case .unknown: "a WebDAV server"
            }
        var does: [String] = []
        let why = mayNotMove ? "does not let the account move files" : "moves no files"
        does.append(moves ? "moves files to their place" : "\(why), so that each is stored at its place at once")
        if moves, !sparesOthers { does.append("moves them over others, so that it is looked at first") }
        if !honoursIfNoneMatch { does.append("ignores If-None-Match") }
        switch (upload, partial) {
        case (.pieces, _): does.append("takes large files in pieces")
        case (.tus, _): does.append("takes large files by tus")
        case (nil, .patch): does.append("takes large files piece by piece (PATCH)")
        case (nil, .contentRange): does.append("takes large files piece by piece (Content-Range)")
        case (nil, nil): does.append("takes large files only whole")
        }
        if answersHash || checksum == .verified || etagsAreMD5 {
            does.append("tells what it stored by a digest")
        } else {
            does.append(checksum == .echoed ? "keeps the digest it is given" : "tells the size of what it stored only")
        }
        does.append(dating == nil ? "gives files the time of upload" : "keeps their dates")
        if foldsCase { does.append("makes no difference between upper and lower case") }
        let last = does.removeLast()
        return "“\(base)” is there. It is \(name) at “\(host)”: it \(does.joined(separator: ", ")), and \(last)."
    }
}

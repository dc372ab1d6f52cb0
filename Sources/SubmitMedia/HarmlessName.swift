package import Submit

/// A file's name that no web server takes for a program and no browser for a page.
///
/// The bytes of a photo may hold a program: `scan.php` can be a true JPEG that a server runs. So the name ends as its type does,
/// and no other ending before that counts: Apache runs `scan.php.jpg`, too. Names that people give photos stay as they are.
package struct HarmlessName: Sendable {
    /// The name, of at most 255 bytes of UTF-8.
    package let text: String

    private static let longest = 255

    /// - Parameters:
    ///   - name: as others chose it, without folders.
    ///   - type: what its bytes are; `nil` if that isn't known, and then nothing is put behind the name.
    package init(_ name: String, _ type: MediaType?) {
        let usual = type?.filenameExtension ?? ""
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        var ending = usual.isEmpty ? "" : ".\(usual)"
        if parts.count > 1, let last = parts.last {
            let plain = Self.plain(last)
            let isLeft = plain == usual || Self.media.contains(plain) || usual.isEmpty && !Self.isActive(plain)
            if isLeft { ending = ".\(parts.removeLast())" }
        }
        var stem = String(parts[0])
        for part in parts.dropFirst() { stem += (Self.isActive(Self.plain(part)) ? "_" : ".") + part }
        let room = Self.longest - ending.utf8.count
        while stem.utf8.count > room, !stem.isEmpty { stem.removeLast() }
        text = stem + ending
    }

    /// What programs compare: marks and blanks that one of them may pass over are left out.
    private static func plain(_ part: Substring) -> String {
        let kept = part.utf8.map { $0 | ($0 & 0xc0 == 0x40 ? 0x20 : 0) }
            .filter { (97...122).contains($0) || (48...57).contains($0) }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Whether a server runs files of this ending or obeys them, or a browser runs what is in them.
    private static func isActive(_ ending: String) -> Bool {
        // `php5`, `phps`; `phtml`; `aspx`; `jspx`; `shtml`, `xhtml`, `html5`.
        ["php", "pht", "phar", "asp", "jsp", "cfm", "cgi", "fcgi"].contains(where: ending.hasPrefix)
            || ending.contains("htm") || active.contains(ending)
    }

    private static let active: Set<String> = [
        // Servers.
        "asa", "asax", "ascx", "ashx", "asmx", "axd", "cer", "cfc", "config", "cshtml", "dll", "exe", "htaccess",
        "htpasswd",
        "inc", "ini", "lua", "pl", "py", "rb", "rhtml", "sh", "soap", "stm", "vbhtml",
        // Browsers.
        "appcache", "atom", "css", "hta", "js", "manifest", "mht", "mjs", "rdf", "rss", "svg", "svgz", "swf", "wasm",
        "webmanifest", "xbl", "xht", "xml", "xsl", "xslt",
    ]

    /// Endings of photos, films, sounds and sidecars, whatever their bytes are: cameras and phones mix them up.
    private static let media: Set<String> = [
        "360", "3fr", "3g2", "3gp", "aac", "aae", "ari", "arq", "arw", "asf", "avi", "avif", "avifs", "bay", "bmp",
        "braw",
        "cap", "cr2", "cr3", "crw", "dcr", "dcs", "dib", "dng", "drf", "eip", "erf", "exr", "fff", "gif", "glv", "gpr",
        "heic", "heics", "heif", "heifs", "hif", "iiq", "insp", "insv", "j2c", "j2k", "jfif", "jp2", "jpe", "jpeg",
        "jpf",
        "jpg", "jps", "jpx", "jxl", "k25", "kdc", "lrv", "m2t", "m2ts", "m4a", "m4v", "mdc", "mef", "mj2", "mkv", "mod",
        "mos", "mov", "mp3", "mp4", "mpe", "mpeg", "mpg", "mpo", "mrw", "mts", "nef", "nrw", "obm", "ogg", "ogv", "orf",
        "ori", "pef", "png", "pns", "psb", "psd", "ptx", "pxn", "qt", "r3d", "raf", "raw", "rw2", "rwl", "rwz", "sr2",
        "srf", "srw", "thm", "tif", "tiff", "tod", "ts", "vob", "wav", "webm", "webp", "wmv", "x3f", "xmp",
    ]
}

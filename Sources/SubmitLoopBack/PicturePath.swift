internal import Foundation
internal import SubmitHTTP

/// Where a picture is whose path stands in a record.
public enum PicturePath {
    /// The URL that a path, or a URL, refers to when it is read at another URL (RFC 3986, section 5.2).
    ///
    /// - Returns: an `http` or `https` URL, percent-encoded; `nil` where it is none: nothing else is a picture of a service.
    public static func url(_ path: String, relativeTo base: String) -> String? {
        guard let base = URL(string: base) else { return nil }
        let path = encoded(path)
        // Nothing refers to the base itself (section 5.2.2), and Foundation takes it for no reference.
        let url = path.isEmpty ? base : URL(string: path, relativeTo: base)?.absoluteURL
        guard let url, ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false else {
            return nil
        }
        return url.absoluteString
    }

    /// What has to be encoded and is not. Foundation would encode all, and what is encoded already twice.
    private static func encoded(_ path: String) -> String {
        let kept = Set("!$&'()*+,/:;=?@".utf8)
        // Of a host Foundation makes what it is called in addresses.
        let host = path.prefixMatch(of: #/(?i:https?:)?\/\/[^\/?#]*/#)?.output ?? ""
        var (encoded, rest, isFragment) = (String(host), path.utf8.dropFirst(host.utf8.count), false)
        while let byte = rest.popFirst() {
            let isKept =
                switch byte {
                case UInt8(ascii: "%"): rest.prefix(2).filter { Character(Unicode.Scalar($0)).isHexDigit }.count == 2
                case UInt8(ascii: "#"): !isFragment
                default: false
                }
            if byte == UInt8(ascii: "#") { isFragment = true }
            encoded += PercentEncoding.encode([byte], keeping: isKept ? [byte] : kept)
        }
        return encoded
    }
}

internal import Foundation

/// Where a picture is whose path stands in a record.
public enum PicturePath {
    /// The URL that a path, or a URL, refers to when it is read at another URL (RFC 3986, section 5.2).
    ///
    /// - Returns: an `http` or `https` URL, percent-encoded; `nil` where it is none: nothing else is a picture of a service.
    public static func url(_ path: String, relativeTo base: String) -> String? {
        guard let base = URL(string: base) else { return nil }
        // Nothing refers to the base itself (section 5.2.2), and Foundation takes it for no reference.
        let url = path.isEmpty ? base : URL(string: path, relativeTo: base)?.absoluteURL
        guard let url, ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false else {
            return nil
        }
        return url.absoluteString
    }
}

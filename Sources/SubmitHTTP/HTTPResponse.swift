/// A final answer (never a 1xx).
public struct HTTPResponse: Sendable {
    /// The status code (RFC 9110, section 15): 200 or more.
    public var status: Int
    /// In the order received; names as sent. Of several answers on one request only the last one's.
    public var headers: [(name: String, value: String)]
    /// At most ``HTTPRequest/responseLimit`` bytes; empty where only the head was asked for.
    public var body: [UInt8]

    /// An answer, for those who carry requests.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of this name, whatever its case.
    public subscript(name: String) -> String? {
        headers.first { $0.name.isName(name) }?.value
    }

    /// It is a page for people. Nothing is none: PHP calls an empty body `text/html`, too.
    public var isPage: Bool { announcesPage && !body.isEmpty }

    /// The same by its head alone, as an answer on HEAD has no body.
    public var announcesPage: Bool {
        self["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false && self["Content-Length"] != "0"
    }
}

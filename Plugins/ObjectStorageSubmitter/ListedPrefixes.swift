/// One page of what keys begin with, up to the delimiter.
struct ListedPrefixes: Sendable, Hashable {
    var prefixes: [String]
    /// Where the list goes on; `nil` at its end.
    var next: String?
}

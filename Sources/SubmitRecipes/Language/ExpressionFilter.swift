/// What can be done with a value after `|`. The list is closed.
package enum ExpressionFilter: String, Sendable, Hashable, CaseIterable {
    case url
    case urlPath = "url_path"
    case asGiven = "as_given"
    case json
    case jsonASCII = "json_ascii"
    case xml
    case headerSafe = "header_safe"
    case base64
    case hex
    case unhex
    case lower
    case upper
    case trim
    case truncate
    case join
    case quoteTags = "quote_tags"
    case hashtags
    case iso8601
    case rfc1123
    case unix
    case seconds
    case uuid
    case bool01
    case basename
    case pad
    case int
    case md5
    case sha1
    case sha256
}

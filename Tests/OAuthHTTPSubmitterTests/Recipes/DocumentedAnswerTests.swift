import Submit
import SubmitHTTP
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// An answer as a service documents it (`facts/protocols.md` 9b), and what the recipe that comes with the program makes
/// of it.
struct DocumentedAnswer: CustomTestStringConvertible, Sendable {
    let recipe: String
    let testDescription: String
    let status: Int
    var headers: [(name: String, value: String)] = []
    let body: String
    let kind: Recipe.ErrorRule.Class
    /// Seconds that the recipe waits, by a rule or by the headers; at 2027-01-15T08:00:00Z.
    var wait: Int64?

    private static func of(
        _ recipe: String, _ status: Int, _ body: String, _ kind: Recipe.ErrorRule.Class, wait: Int64? = nil,
        _ headers: (name: String, value: String)...
    ) -> DocumentedAnswer {
        DocumentedAnswer(
            recipe: recipe, testDescription: "\(recipe), \(status) \(body.prefix(60))", status: status,
            headers: headers,
            body: body, kind: kind, wait: wait)
    }

    static let all: [DocumentedAnswer] = dropbox + google + flickr + others

    private static let dropbox = [
        of(
            "dropbox", 401, #"{"error_summary":"expired_access_token/.","error":{".tag":"expired_access_token"}}"#,
            .refresh),
        of(
            "dropbox", 401, #"{"error_summary":"invalid_access_token/.","error":{".tag":"invalid_access_token"}}"#,
            .relogin),
        of("dropbox", 401, #"{"error":{".tag":"missing_scope","required_scope":"files.content.write"}}"#, .relogin),
        of(
            "dropbox", 429,
            #"{"error_summary":"too_many_write_operations/.","error":{"reason":{".tag":"too_many_write_operations"},"retry_after":15}}"#,
            .throttle, wait: 15, ("Retry-After", "15")),
        of(
            "dropbox", 400, #"Error in call to API function "files/upload": bad"#, .fatal,
            ("Content-Type", "text/plain")),
        of(
            "dropbox", 409,
            #"{"error_summary":"path/insufficient_space/..","error":{".tag":"path","reason":{".tag":"insufficient_space"}}}"#,
            .quota),
        of(
            "dropbox", 409,
            #"{"error_summary":"path/conflict/file/..","error":{".tag":"path","reason":{".tag":"conflict"}}}"#, .fatal),
        of(
            "dropbox", 409,
            #"{"error_summary":"lookup_failed/not_found/..","error":{".tag":"lookup_failed","lookup_failed":{".tag":"not_found"}}}"#,
            .restart),
    ]

    private static let google = [
        of(
            "google-photos", 429,
            #"{"error":{"code":429,"message":"Quota exceeded for quota metric 'Write requests' ... concurrent write request","status":"RESOURCE_EXHAUSTED"}}"#,
            .throttle, wait: 5),
        of(
            "google-photos", 429,
            #"{"error":{"code":429,"message":"Quota exceeded for quota metric 'All requests' and limit 'All requests per day'"}}"#,
            .throttle, wait: 6 * 3600),
        of(
            "google-photos", 200,
            #"{"newMediaItemResults":[{"uploadToken":"TOKEN","status":{"code":3,"message":"Failed: There was an error while trying to create this media item."}}]}"#,
            .unsupported),
        of(
            "google-photos", 200,
            #"{"newMediaItemResults":[{"uploadToken":"TOKEN","status":{"code":13,"message":"INTERNAL"}}]}"#,
            .retry),
        of(
            "google-photos", 409, #"{"error":{"code":409,"message":"The operation was aborted.","status":"ABORTED"}}"#,
            .retry),
        of("google-photos", 403, #"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#, .relogin),
    ]

    private static func rsp(_ code: Int, _ message: String) -> String {
        #"<?xml version="1.0" encoding="utf-8" ?><rsp stat="fail"><err code="\#(code)" msg="\#(message)" /></rsp>"#
    }

    private static let flickr = [
        of("flickr", 200, rsp(98, "Invalid auth token"), .relogin, ("Content-Type", "text/xml")),
        of("flickr", 200, rsp(5, "Filetype was not recognised"), .unsupported, ("Content-Type", "text/xml")),
        of("flickr", 200, rsp(6, "User exceeded upload limit"), .quota, ("Content-Type", "text/xml")),
        of("flickr", 200, rsp(8, "Filesize was too large"), .tooLarge, ("Content-Type", "text/xml")),
        of("flickr", 200, rsp(9, "Duplicate photo/video detected"), .duplicate, ("Content-Type", "text/xml")),
        of("flickr", 200, rsp(105, "Service currently unavailable"), .retry, ("Content-Type", "text/xml")),
        of("flickr", 200, rsp(96, "Invalid signature"), .fatal, ("Content-Type", "text/xml")),
        of("flickr", 200, #"{"stat":"fail","code":"98","message":"Invalid auth token"}"#, .relogin),
    ]

    private static let others = [
        of(
            "facebook", 400,
            #"{"error":{"message":"...","type":"OAuthException","code":190,"error_subcode":463,"fbtrace_id":"x"}}"#,
            .relogin),
        of("facebook", 403, #"{"error":{"message":"...","code":4}}"#, .throttle, wait: 900),
        of("facebook", 400, #"{"error":{"message":"...","code":4}}"#, .throttle, wait: 900),
        of("facebook", 400, #"{"error":{"message":"...","code":506}}"#, .duplicate),
        of(
            "x", 429, #"{"title":"Too Many Requests","status":429,"type":"about:blank"}"#, .throttle, wait: 30,
            ("x-rate-limit-reset", "1800000030")),
        of("mastodon", 422, #"{"error":"Error processing thumbnail for uploaded media"}"#, .unsupported),
        of(
            "mastodon", 429, #"{"error":"Too many requests"}"#, .throttle, wait: 300,
            ("X-RateLimit-Reset", "2027-01-15T08:05:00.000000Z")),
        of(
            "immich", 401,
            #"{"message":"Invalid API key","error":"Unauthorized","statusCode":401,"correlationId":"c"}"#,
            .relogin),
        of("immich", 400, #"{"message":"Quota has been exceeded!","error":"Bad Request","statusCode":400}"#, .quota),
        of("pixelfed", 403, #"{"error":"Account size limit reached."}"#, .quota),
        of("pixelfed", 403, #"{"message":"Account size limit reached."}"#, .quota),
        of("pixelfed", 403, #"{"error":"Invalid or unsupported mime type."}"#, .unsupported),
        of("pixelfed", 403, #"{"error":"This action is unauthorized."}"#, .relogin),
        of(
            "imgur", 403,
            #"{"data":{"error":"Imgur is temporarily over capacity. Please try again later."},"success":false}"#,
            .throttle, wait: 300),
        of(
            "imgur", 400, #"{"data":{"error":{"code":1003,"message":"Uploading file too fast!"}},"success":false}"#,
            .throttle,
            wait: 300),
        of("imgur", 417, #"{"data":{"error":"Internal expectation failed"},"success":false}"#, .retry),
        of(
            "imgur", 403, #"{"data":{"error":"The access token provided is invalid."},"success":false,"status":403}"#,
            .refresh),
        of(
            "nextcloud", 412,
            #"<?xml version="1.0" encoding="utf-8"?><d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"><s:exception>Sabre\DAV\Exception\PreconditionFailed</s:exception><s:message>Missing metadata for chunked upload. The distributed cache does not hold the information of previous requests.</s:message></d:error>"#,
            .restart, ("Content-Type", "application/xml")),
        of(
            "nextcloud", 412,
            #"<?xml version="1.0" encoding="utf-8"?><d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"><s:message>An If-None-Match header was specified, and the file exists.</s:message></d:error>"#,
            .fatal, ("Content-Type", "application/xml")),
        of("wordpress", 412, #"{"code":"rest_upload_hash_mismatch","message":"...","data":{"status":412}}"#, .retry),
        of("wordpress", 401, #"{"code":"rest_cannot_create","message":"...","data":{"status":401}}"#, .relogin),
        of(
            "tumblr", 403, #"{"errors":[{"code":8010,"detail":"You already have a video processing"}]}"#, .throttle,
            wait: 300),
    ]
}

@Suite struct `A documented answer` {
    @Test(arguments: DocumentedAnswer.all)
    func `means to its recipe what it says`(example: DocumentedAnswer) throws {
        let name = example.recipe
        let recipe = try Recipe(text: try #require(Recipe.shippedText(name)), path: "\(name).yaml")
        let isTyped = example.headers.contains { $0.name == "Content-Type" }
        let answer = ServiceAnswer(
            HTTPResponse(
                status: example.status,
                headers: example.headers + (isTyped ? [] : [("Content-Type", "application/json")]),
                body: Array(example.body.utf8)))
        var scope = ExpressionScope()
        scope["now"] = .integer(1_800_000_000)
        answer.stand(in: &scope)
        let (kind, rule) = try recipe.kind(of: answer, in: scope)
        #expect(kind == example.kind)
        if let wait = example.wait { #expect(try rule?.wait?.integer(in: scope) == wait) }
    }
}

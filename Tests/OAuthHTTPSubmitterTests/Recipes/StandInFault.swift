import Submit
import TestServers

@testable import OAuthHTTPSubmitter

/// What goes wrong with one request of an upload to a stand-in, and what has to be said of it.
struct StandInFault: Sendable {
    enum Cause: Sendable {
        /// The service's, or that of the network before it; see ``CloudFault``.
        case service(CloudFault)
        case wire(WireFault)
    }

    enum Expectation: Sendable {
        /// Attempts fail in this way, each once; none where the transport mends it.
        case remedies([Remedy])
        /// It is tried again, after as long as the service says.
        case retry
        /// Nobody is told, or it is tried again.
        case anything
    }

    let name: String
    let cause: Cause
    let expectation: Expectation
    /// The service may have done it: what cannot be told from another upload ends as unknown.
    let leavesDoubt: Bool
    /// The service did it.
    let isDone: Bool
    /// Only of requests with a body as long.
    let leastBody: Int64
    /// The connection breaks: what may be sent twice, the transport sends again.
    let breaks: Bool

    private init(
        _ name: String, _ cause: Cause, _ expectation: Expectation, leavesDoubt: Bool = false, isDone: Bool = false,
        leastBody: Int64 = 0, breaks: Bool = false
    ) {
        (self.name, self.cause, self.expectation) = (name, cause, expectation)
        self.leavesDoubt = leavesDoubt || isDone
        (self.isDone, self.leastBody, self.breaks) = (isDone, leastBody, breaks)
    }

    private static func throttle(_ name: String, _ fault: CloudFault, _ seconds: Int64?) -> StandInFault {
        let wait = seconds.map { Duration.seconds($0) }
        return StandInFault("429, \(name)", .service(fault), .remedies([.hold(.throttled, after: wait)]))
    }

    /// Those of one run.
    static func all(_ run: FaultRun) -> [StandInFault] {
        broken + failing(run) + refused(run) + throttled(run)
    }

    private static let broken: [StandInFault] = [
        StandInFault(
            "closed before the body", .service(.cut(afterBodyBytes: 0)), .retry, leavesDoubt: true, leastBody: 1,
            breaks: true),
        StandInFault(
            "closed in the body", .service(.cut(afterBodyBytes: 500)), .retry, leavesDoubt: true, leastBody: 501,
            breaks: true),
        StandInFault("done, and no answer", .service(.doneButDropped), .retry, isDone: true, breaks: true),
        StandInFault("done, and no byte of the answer", .service(.cut(afterAnswerBytes: 0)), .anything, isDone: true),
        StandInFault("done, and half an answer", .service(.cut(afterAnswerBytes: 9)), .anything, isDone: true),
        StandInFault("stalled in the body", .wire(.stalledInTheMiddle), .retry),
        StandInFault("done, and stalled", .wire(.stalledAfterAll), .retry, isDone: true),
        StandInFault("killed before", .wire(.killedBefore), .remedies([]), leavesDoubt: true),
        StandInFault("killed after", .wire(.killedAfter), .remedies([]), isDone: true),
    ]

    private static func failing(_ run: FaultRun) -> [StandInFault] {
        [
            StandInFault("500", .service(.answer(500)), .retry, leavesDoubt: true),
            StandInFault("502 of a gateway", .service(.answer(502)), .retry, leavesDoubt: true),
            StandInFault(
                "503 for a time", .service(.answer(503, headers: ["Retry-After": "9"], body: "")),
                .remedies([
                    run.service == nil
                        ? .hold(.throttled, after: .seconds(9)) : .tryAnother(after: .seconds(9))
                ])),
            StandInFault("done, and 500", .service(.doneButAnswer(500)), .retry, isDone: true),
            StandInFault("done, and 504 of a gateway", .service(.doneButAnswer(504)), .retry, isDone: true),
        ]
    }

    private static func refused(_ run: FaultRun) -> [StandInFault] {
        var faults = [
            StandInFault("401", .service(.answer(401)), .remedies(run.refreshes ? [] : [.renewCredentials]))
        ]
        if run.refreshes { faults.append(StandInFault("its token ends", .service(.expiredTokens), .remedies([]))) }
        return faults
    }

    // MARK: Waits

    /// 2027-01-15T08:00:00Z by the service's clock, which need not be ours.
    private static let date = ["Date": "Fri, 15 Jan 2027 08:00:00 GMT"]

    private static func slow(_ headers: [String: String], status: Int = 429, body: String = "") -> CloudFault {
        let common = date.merging(["Content-Type": "application/json"]) { $1 }
        return .answer(status, headers: common.merging(headers) { $1 }, body: body)
    }

    private static let seconds = throttle("after seconds", slow(["Retry-After": "7"]), 7)
    private static let untilDate = throttle("until a date", slow(["Retry-After": "Fri, 15 Jan 2027 08:01:00 GMT"]), 60)
    private static func silent(_ wait: Int64?) -> StandInFault { throttle("without a word", slow([:]), wait) }

    /// With each form in which the service says how long to wait.
    private static func throttled(_ run: FaultRun) -> [StandInFault] {
        switch run.service {
        case .dropbox:
            let json = #"{"error": {"reason": {".tag": "too_many_write_operations"}, "retry_after": 13}}"#
            return [seconds, untilDate, throttle("in JSON", slow([:], body: json), 13), silent(15)]
        case .googlePhotos:
            func says(_ words: String) -> CloudFault { slow([:], body: #"{"error": {"message": "\#(words)"}}"#) }
            return [
                seconds, silent(30), throttle("for the day", says("limit 'All requests per day'"), 6 * 3600),
                throttle("for another's write", says("concurrent write request"), 5),
            ]
        case .x:
            return [throttle("until x-rate-limit-reset", slow(["x-rate-limit-reset": "1800000030"]), 30), silent(900)]
        case .mastodon, .pixelfed:
            let reset = slow(["X-RateLimit-Reset": "2027-01-15T08:00:40.000000Z"])
            return [throttle("until X-RateLimit-Reset", reset, 40), seconds, untilDate, silent(300)]
        case .imgur:
            return [
                throttle("after X-Post-Rate-Limit-Reset", slow(["X-Post-Rate-Limit-Reset": "11"]), 11),
                throttle("until X-RateLimit-UserReset", slow(["X-RateLimit-UserReset": "1800000050"]), 50),
            ]
        case .tumblr: return [seconds, untilDate, silent(15 * 60)]
        case .facebook:
            let words = slow([:], status: 400, body: #"{"error": {"code": 17, "message": "Limit reached"}}"#)
            return [throttle("as #4", .answer(429), 15 * 60), throttle("as #17", words, 15 * 60)]
        case nil: return [seconds, untilDate, throttle("as 423", .answer(423), 10), silent(nil)]
        case .immich, .flickr, .hatena, .mixi: return [seconds, untilDate, silent(nil)]
        }
    }
}

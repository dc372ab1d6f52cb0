import Submit
import SubmitHTTP
import Testing

@testable import ObjectStorageSubmitter

/// What goes wrong once in an upload in five parts, one after the other.
struct UploadFault: Sendable, CustomTestStringConvertible {
    enum Moment: Sendable {
        /// Before the storage has read the body.
        case before
        /// In the midst of it.
        case midway
        /// When it has done what was asked.
        case after
    }

    var name: String
    var step: Step
    var moment: Moment
    var answer: Result<HTTPResponse, HTTPFailure>
    var remedy = Remedy.retry(after: nil)
    var code: String
    /// Bytes of parts that the next attempt sends.
    var sent: Int
    /// The next attempt finds the item complete.
    var wasThere = false

    var testDescription: String { name }

    func storage() -> FakeStorage {
        let once = Once(step)
        @Sendable func struck(_ sent: FakeStorage.Sent, _ moment: Moment) -> Result<HTTPResponse, HTTPFailure>? {
            self.moment == moment && once.strikes(sent) ? answer : nil
        }
        return FakeStorage(
            script: { sent in struck(sent, .before) },
            midway: { sent, count in count >= 8192 ? struck(sent, .midway) : nil },
            after: { sent, _, _ in struck(sent, .after) })
    }

    private static let part = Endeavour.partSize
    private static let all5 = 4 * part + 5000
    private static let error = HTTPResponse.error(500, "InternalError")
    private static let unclear = Remedy.tryAnother(after: nil)
    private static let wait = [(name: "Retry-After", value: "7")]
    private static let cut = HTTPResponse(
        status: 200, headers: [("Content-Type", "application/xml")],
        body: Array("<?xml version=\"1.0\"?><CompleteMultipartUploadResult><Loc".utf8))

    static let all: [UploadFault] = [
        .init(
            name: "a 500 in the middle of a part", step: .part(3), moment: .midway, answer: .success(error),
            remedy: unclear, code: "server-error", sent: 2 * part + 5000),
        .init(
            name: "a 503 with Retry-After on a part", step: .part(3), moment: .before,
            answer: .success(HTTPResponse(status: 503, headers: wait)),
            remedy: .tryAnother(after: .seconds(7)), code: "unavailable", sent: 2 * part + 5000),
        .init(
            name: "SlowDown with Retry-After on a part", step: .part(3), moment: .before,
            answer: .success(.error(503, "SlowDown", headers: wait)),
            remedy: .hold(.throttled, after: .seconds(7)), code: "throttled", sent: 2 * part + 5000),
        .init(
            name: "a reset in the middle of a part", step: .part(3), moment: .midway, answer: .failure(.reset),
            remedy: unclear, code: "broken", sent: 2 * part + 5000),
        .init(
            name: "a stall in the middle of a part", step: .part(3), moment: .midway,
            answer: .failure(.stalled(afterBody: false)), remedy: unclear, code: "stalled",
            sent: 2 * part + 5000),
        .init(
            name: "the reply lost after a part", step: .part(3), moment: .after, answer: .failure(.lost),
            remedy: unclear, code: "broken", sent: part + 5000),
        .init(
            name: "a part too many for the quota", step: .part(3), moment: .midway,
            answer: .success(.error(413, "EntityTooLarge")), remedy: .hold(.full, after: nil),
            code: "full", sent: 2 * part + 5000),
        .init(
            name: "a full disk", step: .part(3), moment: .midway, answer: .success(HTTPResponse(status: 507)),
            remedy: .hold(.full, after: nil), code: "full", sent: 2 * part + 5000),
        .init(
            name: "a part without an ETag", step: .part(3), moment: .after,
            answer: .success(HTTPResponse(status: 200)), code: "no-etag", sent: part + 5000),
        .init(
            name: "a reset at the first look", step: .look, moment: .before, answer: .failure(.reset),
            remedy: unclear, code: "broken", sent: all5),
        .init(
            name: "a reset when the upload is asked for", step: .begin, moment: .before, answer: .failure(.reset),
            remedy: unclear, code: "broken", sent: all5),
        .init(
            name: "the reply lost that names the upload", step: .begin, moment: .after, answer: .failure(.lost),
            remedy: unclear, code: "broken", sent: all5),
        .init(
            name: "half the reply that names the upload", step: .begin, moment: .after, answer: .success(cut),
            code: "bad-answer", sent: all5),
        .init(
            name: "a reset before the end", step: .complete, moment: .before, answer: .failure(.reset),
            remedy: unclear, code: "broken", sent: 0),
        .init(
            name: "200 with an error on the end", step: .complete, moment: .before,
            answer: .success(HTTPResponse(status: 200, body: HTTPResponse.xml("InternalError"))),
            remedy: unclear, code: "server-error", sent: 0),
        .init(
            name: "the reply lost after the end", step: .complete, moment: .after, answer: .failure(.lost),
            remedy: unclear, code: "broken", sent: 0, wasThere: true),
        .init(
            name: "half the reply after the end", step: .complete, moment: .after, answer: .success(cut),
            code: "bad-answer", sent: 0, wasThere: true),
        .init(
            name: "no word after the end", step: .complete, moment: .after,
            answer: .success(HTTPResponse(status: 200)), code: "bad-answer", sent: 0, wasThere: true),
        .init(
            name: "a 500 though it is complete", step: .complete, moment: .after, answer: .success(error),
            remedy: unclear, code: "server-error", sent: 0, wasThere: true),
        .init(
            name: "NoSuchUpload though it is complete", step: .complete, moment: .after,
            answer: .success(.error(404, "NoSuchUpload")), code: "upload-lost", sent: 0, wasThere: true),
        .init(
            name: "a full disk at the end", step: .complete, moment: .before,
            answer: .success(HTTPResponse(status: 507)), remedy: .hold(.full, after: nil), code: "full",
            sent: 0),
    ]
}

extension HTTPFailure {
    static let reset = HTTPFailure.broken("Connection reset by peer", afterBody: false)
    /// The same after all was sent: the reply is lost.
    static let lost = HTTPFailure.broken("Connection reset by peer", afterBody: true)
}

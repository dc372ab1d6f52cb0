internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Submit
internal import SubmitReceiving
internal import SubmitStore

/// `POST /offer`: which of some files need to be sent at all.
struct Offering: Sendable {
    let reception: Reception

    private struct Offer: Decodable {
        struct File: Decodable {
            var name: String
            var folder: String?
            var size: Int64
            var sha256: String?
            var modified: Int64?
            var type: String?
        }
        var files: [File]
    }

    private struct Answers: Encodable {
        struct Answer: Encodable {
            var answer: String
            var code: String?
            var message: String?
        }
        var files: [Answer]
    }

    /// Some thousand names.
    private static let longest = 1 << 20

    func offer(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Response {
        guard inquiry.contentType == "application/json" else {
            throw WebRefusal(.unsupportedMediaType, "content-type", "An offer is sent as application/json.")
        }
        let bytes = try await inquiry.wholeBody(atMost: Self.longest)
        guard let offer = try? JSONDecoder().decode(Offer.self, from: Data(bytes)) else {
            throw WebRefusal(
                .badRequest, "offer", "An offer is {\"files\": [{\"name\": …, \"size\": …, \"sha256\": …}]}.")
        }
        let files = offer.files.map { file in
            FileOffer(
                name: file.name, folder: file.folder, length: file.size,
                sha256: file.sha256.flatMap { Hexadecimal.bytes(of: $0) },
                modified: file.modified.flatMap(Timestamp.init(milliseconds:)), type: file.type)
        }
        let answers = try await asking { () async throws(ReceivingRefusal) in
            try await reception.offer(files, session: session)
        }
        return .json(Answers(files: answers.map(Self.answer)))
    }

    private static func answer(_ answer: OfferAnswer) -> Answers.Answer {
        switch answer {
        case .have: Answers.Answer(answer: "have")
        case .want: Answers.Answer(answer: "want")
        case .refuse(let refusal):
            Answers.Answer(answer: "refuse", code: refusal.code, message: refusal.message)
        }
    }
}

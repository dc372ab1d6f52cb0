internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SubmitReceiving
internal import SubmitStore

/// The form that works where no script runs: several files in one request, one after the other.
struct FormUpload: Sendable {
    let reception: Reception

    /// What became of the files of a form.
    struct Outcome: Sendable {
        var arrived = 0
        /// Names with why they were not taken.
        var refused: [(name: String, why: String)] = []
    }

    func take(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Outcome {
        guard let parser = MultipartParser(contentType: inquiry.headers[.contentType] ?? "") else {
            throw WebRefusal(.unsupportedMediaType, "content-type", "A form is sent as multipart/form-data.")
        }
        let reader = MultipartReader(parser, inquiry.body)
        var outcome = Outcome()
        do {
            while let fields = try await reader.nextPart() {
                let part = MultipartReader.Data(reader: reader)
                guard let name = fields.fileName, !name.isEmpty else { continue }
                do throws(WebRefusal) {
                    _ = try await WholeUpload(reception: reception, session: session).take(
                        FileOffer(name: name, length: nil, type: fields.type), part)
                    outcome.arrived += 1
                } catch {
                    // One that is not wanted is in no other's way; a line that broke is.
                    guard error.status != .badRequest else { throw error }
                    outcome.refused.append((name, error.message))
                }
            }
        } catch let refusal as WebRefusal {
            throw refusal
        } catch is MultipartParser.Fault {
            throw WebRefusal(.badRequest, "form", "The form is not written as browsers write it, or was cut off.")
        } catch {
            throw WebRefusal(.badRequest, "broken-off", "The line broke: what had arrived before is kept.")
        }
        return outcome
    }
}

/// The parts of a form, one after the other, each with its bytes. For one task.
final class MultipartReader: @unchecked Sendable {
    private var parser: MultipartParser
    private var body: PacedBody.AsyncIterator
    private var isInPart = false
    private var isOver = false

    init(_ parser: MultipartParser, _ body: PacedBody) {
        self.parser = parser
        self.body = body.makeAsyncIterator()
    }

    /// - Returns: `nil` at the end of the form. What was not read of the part before is passed over.
    func nextPart() async throws -> MultipartFields? {
        while !isOver {
            switch try await event() {
            case .part(let fields):
                isInPart = true
                return fields
            case .data: break
            case .partEnd: isInPart = false
            case .end: isOver = true
            }
        }
        return nil
    }

    fileprivate func nextBytes() async throws -> [UInt8]? {
        guard isInPart else { return nil }
        switch try await event() {
        case .data(let bytes): return bytes
        default:
            isInPart = false
            return nil
        }
    }

    private func event() async throws -> MultipartParser.Event {
        while true {
            if let event = try parser.next() { return event }
            if let piece = try await body.next() { parser.push(piece) } else { parser.finish() }
        }
    }

    /// The bytes of the part that is read.
    struct Data: AsyncSequence, AsyncIteratorProtocol {
        fileprivate let reader: MultipartReader

        func makeAsyncIterator() -> Data { self }
        mutating func next() async throws -> [UInt8]? { try await reader.nextBytes() }
    }
}

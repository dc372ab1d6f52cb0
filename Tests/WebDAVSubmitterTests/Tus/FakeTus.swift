import Crypto
import Submit
import SubmitConcurrency
import SubmitHTTP

@testable import WebDAVSubmitter

/// A tus server in memory, behind a transport: uploads are begun at `/dav/` and lie there when they are whole. It keeps
/// what came of a request that broke off, and checks digests where it is asked to.
final class FakeTus: HTTPTransport {
    static let origin = "http://127.0.0.1:9"

    struct Upload: Sendable {
        var name: String
        var size: Int
        var bytes: [UInt8] = []
        var sha1: String?
    }

    struct State: Sendable {
        /// By path.
        var uploads: [String: Upload] = [:]
        var files: [String: [UInt8]] = [:]
        var begun = 0
        var sent: [Sent] = []
        /// Bytes of all pieces that came.
        var taken = 0
        /// Answers on whole uploads go on.
        var remembers = false
    }

    enum Step: Sendable, Hashable {
        case begin, look, add, end, lookAtFile, other
    }

    /// What went over the wire.
    struct Sent: Sendable {
        var step: Step
        /// Of its kind, from 1.
        var number: Int
        var path: String
        var headers: [(name: String, value: String)]

        subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    typealias Outcome = Result<HTTPResponse, HTTPFailure>
    /// Answers instead of the server, before it does anything.
    typealias Before = @Sendable (Sent, inout State) -> Outcome?
    /// Changes what it answered.
    typealias After = @Sendable (Sent, HTTPResponse, inout State) -> Outcome?

    private let checksPieces: Bool
    private let before: Before
    private let after: After
    private let state = Locked(State())

    init(
        checksPieces: Bool = false, before: @escaping Before = { _, _ in nil },
        after: @escaping After = { _, _, _ in nil }
    ) {
        self.checksPieces = checksPieces
        self.before = before
        self.after = after
    }

    var now: State { state.withLock { $0 } }
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        await Task.yield()
        let path = String(request.url.dropFirst(Self.origin.utf8.count))
        let isUpload = path.hasPrefix("/data/")
        let step: Step =
            switch request.method {
            case "POST": .begin
            case "HEAD": isUpload ? .look : .lookAtFile
            case "PATCH": .add
            case "DELETE": .end
            default: .other
            }
        var body: [UInt8] = []
        do throws(SubmitFailure) {
            body = try request.body.content()
        } catch {
            throw .body(error)
        }
        let bytes = body
        let outcome: Outcome = state.withLock { state in
            let sent = Sent(
                step: step, number: state.sent.count { $0.step == step } + 1, path: path, headers: request.headers)
            state.sent.append(sent)
            if let outcome = before(sent, &state) { return outcome }
            let answer = answer(sent, bytes, &state)
            return after(sent, answer, &state) ?? .success(answer)
        }
        return try outcome.get()
    }

    private func answer(_ sent: Sent, _ body: [UInt8], _ state: inout State) -> HTTPResponse {
        if sent.step == .lookAtFile {
            guard let file = state.files[sent.path] else { return HTTPResponse(status: 404) }
            return HTTPResponse(status: 200, headers: [("Content-Length", "\(file.count)")])
        }
        guard sent["Tus-Resumable"] == "1.0.0" else {
            return HTTPResponse(status: 412, headers: [("Tus-Version", "1.0.0")])
        }
        if sent.step == .begin { return begin(sent, &state) }
        guard var upload = state.uploads[sent.path] else { return HTTPResponse(status: 404) }
        switch sent.step {
        case .look:
            return HTTPResponse(
                status: 200, headers: [("Upload-Offset", "\(upload.bytes.count)"), ("Upload-Length", "\(upload.size)")])
        case .end:
            state.uploads[sent.path] = nil
            return HTTPResponse(status: 204)
        default: break
        }
        guard sent["Content-Type"] == "application/offset+octet-stream" else { return HTTPResponse(status: 415) }
        guard sent["Upload-Offset"] == "\(upload.bytes.count)" else { return HTTPResponse(status: 409) }
        guard upload.bytes.count + body.count <= upload.size else { return HTTPResponse(status: 413) }
        state.taken += body.count
        if checksPieces, sent["Upload-Checksum"] != "sha1 \(Base64.text(of: Array(Insecure.SHA1.hash(data: body))))" {
            return HTTPResponse(status: 460)
        }
        upload.bytes += body
        state.uploads[sent.path] = upload
        finish(upload, at: sent.path, &state)
        return HTTPResponse(status: 204, headers: [("Upload-Offset", "\(upload.bytes.count)")])
    }

    private func begin(_ sent: Sent, _ state: inout State) -> HTTPResponse {
        let pairs = (sent["Upload-Metadata"] ?? "").split(separator: ",").map {
            $0.split(separator: " ").map(String.init)
        }
        let metadata = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0.count > 1 ? decoded($0[1]) : "") })
        guard let size = sent["Upload-Length"].flatMap({ Int($0) }), let name = metadata["filename"] else {
            return HTTPResponse(status: 412)
        }
        state.begun += 1
        let path = "/data/\(state.begun)?key=secret-\(state.begun)"
        let upload = Upload(name: name, size: size, sha1: metadata["checksum"])
        state.uploads[path] = upload
        finish(upload, at: path, &state)
        return HTTPResponse(status: 201, headers: [("Location", Self.origin + path)])
    }

    private func finish(_ upload: Upload, at path: String, _ state: inout State) {
        guard upload.bytes.count == upload.size else { return }
        state.files["/dav/\(upload.name)"] = upload.bytes
        if !state.remembers { state.uploads[path] = nil }
    }
}

/// What base64 says, as text.
private func decoded(_ base64: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits = 0
    var count = 0
    var bytes: [UInt8] = []
    for byte in base64.utf8 {
        guard let value = digits.firstIndex(of: byte) else { break }
        bits = bits << 6 | value
        count += 6
        if count >= 8 {
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

extension HTTPBody {
    fileprivate func content() throws(SubmitFailure) -> [UInt8] {
        switch self {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .media(let media, let range):
            var bytes = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
            var failure: SubmitFailure?
            var count = 0
            bytes.withUnsafeMutableBytes { buffer in
                do throws(SubmitFailure) {
                    count = try media.read(into: buffer, at: range.lowerBound)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return Array(bytes.prefix(count))
        }
    }
}

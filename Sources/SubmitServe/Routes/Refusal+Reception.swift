internal import HTTPTypes
internal import SubmitReceiving

extension HTTPResponse.Status {
    /// tus: what came is not what its checksum says.
    static let checksumMismatch = HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch")
    static let locked = HTTPResponse.Status(code: 423, reasonPhrase: "Locked")
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension HTTPField.Name {
    static let uploadOffset = HTTPField.Name("Upload-Offset")!
}

extension WebRefusal {
    /// Each kind has one status, in all dialects but where one asks for another.
    init(_ refusal: ReceivingRefusal) {
        var fields: HTTPFields = [:]
        let status: HTTPResponse.Status
        switch refusal.kind {
        case .unknown: status = .notFound
        case .expired, .revoked: status = .gone
        case .claimed, .locked, .unconfirmed, .declined, .tooMany: status = .forbidden
        case .tooOften(let after):
            status = .tooManyRequests
            fields[.retryAfter] = "\(max(1, after.components.seconds + 1))"
        case .conflict(let offset):
            status = .conflict
            fields[.uploadOffset] = "\(offset)"
        case .busy: status = .locked
        case .tooLarge: status = .contentTooLarge
        case .full: status = .insufficientStorage
        case .checksum(let offset):
            status = .checksumMismatch
            fields[.uploadOffset] = "\(offset)"
        case .unwanted: status = .unprocessableContent
        case .brokenOff(let offset):
            status = .badRequest
            fields[.uploadOffset] = "\(offset)"
        case .unavailable:
            status = .serviceUnavailable
            fields[.retryAfter] = "5"
        }
        self.init(status, refusal.code, refusal.message, fields: fields)
    }
}

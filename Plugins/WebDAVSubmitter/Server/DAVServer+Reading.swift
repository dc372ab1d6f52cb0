internal import Submit
internal import SubmitDigest
internal import SubmitHTTP

/// Reads what a server holds, in ranges. One that answers a range with everything (mod_dav_svn) is read through once.
extension DAVServer {
    /// A range of what is there; `nil` where it does not hand that out.
    ///
    /// - Parameter size: bytes of what is there, as expected: no more is read.
    func read(
        _ path: DAVPath, _ range: Range<Int64>, of size: Int64, about name: String?
    ) async throws(SubmitFailure) -> [UInt8]? {
        switch try await piece(path, range, of: size, readsOn: false, about: name) {
        case .bytes(let bytes): bytes
        case .whole, .none: nil
        }
    }

    /// The SHA-256 of all that is there; `nil` where it does not hand that out.
    func digest(of path: DAVPath, size: Int64, about name: String?) async throws(SubmitFailure) -> [UInt8]? {
        var whole: [UInt8]?
        let digest = try await Digests.readBack(size: size) { (range) async throws(SubmitFailure) in
            switch try await piece(path, range, of: size, readsOn: true, about: name) {
            case .bytes(let bytes): return bytes
            case .whole(let digest): whole = digest
            case .none: break
            }
            return nil
        }
        return whole ?? digest
    }

    /// Whether all that is there is the beginning of an item.
    ///
    /// - Parameter size: bytes of what is there.
    /// - Returns: `nil` where it does not hand that out.
    func holds(
        _ bytes: any MediaBytes, upTo size: Int64, at path: DAVPath, about name: String?
    ) async throws(SubmitFailure) -> Bool? {
        var whole: [UInt8]?
        let isEqual = try await bytes.equals(in: 0..<size) { (range) async throws(SubmitFailure) in
            switch try await piece(path, range, of: size, readsOn: true, about: name) {
            case .bytes(let bytes): return bytes
            case .whole(let digest): whole = digest
            case .none: break
            }
            return nil
        }
        guard let whole else { return isEqual }
        return try await Digests.computed([.sha256], of: bytes, in: 0..<size)[.sha256] == whole
    }

    private enum Piece {
        case bytes([UInt8])
        /// All came in place of a range, and this is its SHA-256.
        case whole([UInt8])
        case none
    }

    private func piece(
        _ path: DAVPath, _ range: Range<Int64>, of size: Int64, readsOn: Bool, about name: String?
    ) async throws(SubmitFailure) -> Piece {
        var request = DAVRequest(
            "GET", path.encoded, headers: [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")], file: name)
        for isLast in [false, true] {
            let receiver = RangeReceiver(range, of: size, readsOn: readsOn)
            request.receive = receiver.take
            let answer = try await send(request)
            if let digest = receiver.digestOfWhole(in: answer) { return .whole(digest) }
            if !(readsOn && receiver.isWhole), let bytes = receiver.bytes(of: answer) { return .bytes(bytes) }
            // Some cut ranges off (PyWebDAV3), or know none.
            if [206, 416].contains(answer.status), !isLast {
                request.headers = []
                continue
            }
            if answer.status < 400 || [404, 410, 416].contains(answer.status) { break }
            throw failure(answer, at: path.description, file: name)
        }
        return .none
    }
}

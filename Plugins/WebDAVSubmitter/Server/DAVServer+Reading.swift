internal import Submit
internal import SubmitHTTP

extension DAVServer {
    /// Reads what is there.
    ///
    /// - Parameter size: bytes of what is there, as expected: no more is read.
    func reader(of path: DAVPath, size: Int64, about name: String?) -> RangeReader {
        RangeReader(size: size, retriesWhole: true) { [self] (range, receiver) throws(SubmitFailure) in
            var request = DAVRequest("GET", path.encoded, headers: range.map { [("Range", $0)] } ?? [], file: name)
            request.receive = receiver.take
            return try await send(request)
        } judge: { [self] (answer) throws(SubmitFailure) in
            if answer.status < 400 || [404, 410, 416].contains(answer.status) { return }
            throw failure(answer, at: path.description, file: name)
        }
    }
}

internal import Submit
internal import SubmitXML

extension DAVServer {
    /// Bytes that can still be stored in a collection (RFC 4331, section 3); `nil` where the server does not say, or
    /// cannot be asked now.
    func room(in collection: DAVPath) async -> Int64? {
        do throws(SubmitFailure) {
            return try await properties(collection, [.dav("quota-available-bytes")])?.quotaAvailable
        } catch {
            return nil
        }
    }
}

internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

extension DAVServer {
    /// How large a piece of an upload a cloud wants, in bytes (`files.tus_support` of ownCloud's capabilities); `nil`
    /// where it says nothing of that.
    func largestTusPiece(of profile: ServerProfile) async throws(SubmitFailure) -> Int64? {
        guard let cloud = profile.root.firstRange(of: "/remote.php/") else { return nil }
        let base = profile.root[..<cloud.lowerBound]
        let answer = try await send(
            DAVRequest(
                "GET", base + "/ocs/v1.php/cloud/capabilities?format=json", headers: [("OCS-APIRequest", "true")]))
        guard answer.isSuccess else { return nil }
        let said = try? JSONDecoder().decode(CapabilitiesAnswer.self, from: Data(answer.body))
        return said?.ocs.data.capabilities.files.tus_support.max_chunk_size.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Of the document only what is of use here.
    private struct CapabilitiesAnswer: Decodable {
        struct OCS: Decodable { var data: Content }
        struct Content: Decodable { var capabilities: Parts }
        struct Parts: Decodable { var files: Files }
        struct Files: Decodable { var tus_support: Support }
        struct Support: Decodable { var max_chunk_size: Int64? }
        var ocs: OCS
    }
}

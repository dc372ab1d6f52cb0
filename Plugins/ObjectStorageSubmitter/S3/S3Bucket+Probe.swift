internal import Submit

extension S3Bucket {
    /// A server that nothing is known of is tried out on a scratch object. The others are as their profiles say.
    func probe() async throws(SubmitFailure) -> String? {
        guard service.isUnrecognised else { return nil }
        let probe = S3Probe(bucket: self)
        let result: Result<ServerFindings, SubmitFailure>
        do throws(SubmitFailure) {
            result = .success(try await probe.run())
        } catch {
            result = .failure(error)
        }
        // In a task of its own: nothing may stay, even where the check was cancelled.
        let left = await Task { await probe.cleanUp() }.value
        let findings = try result.get()
        if let left { throw left }
        let sentence = findings.sentence
        await service.note(findings.profile, remark: "Found on \(findings.date): \(sentence)")
        await service.note(conditions: findings.condition == .honours, remark: sentence)
        return sentence
    }
}

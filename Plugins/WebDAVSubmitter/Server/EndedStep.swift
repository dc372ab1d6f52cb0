internal import Submit

/// How a step ended that others are taken beside: all of them do before what one failed by counts, since what they made is
/// removed then.
func ended<Value>(_ step: () async throws(SubmitFailure) -> Value) async -> Result<Value, SubmitFailure> {
    do throws(SubmitFailure) {
        return .success(try await step())
    } catch {
        return .failure(error)
    }
}

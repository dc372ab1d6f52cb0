internal import Submit

extension SubmitFailure {
    /// What was asked for cannot be begun.
    static func usage(_ sentence: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: "usage", message: sentence)
    }
}

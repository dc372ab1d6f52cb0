internal import Submit

extension SubmitFailure {
    /// The host broke the order of the protocol.
    static func disorder(_ what: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "protocol-order",
            message: "The program that started this submitter \(what): report it as a fault.")
    }
}

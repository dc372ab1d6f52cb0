internal import Submit

extension ContractSuite {
    static let remedies: [ContractCase] = [
        remedy(.unreachable, "to park it as `unreachable`", "that cannot be reached is waited for") { remedy in
            if case .park(.unreachable, _) = remedy { true } else { false }
        },
        remedy(.refusesCredentials, "`renewCredentials`", "that refuses the credentials asks for others") { $0 == .renewCredentials },
        remedy(.full, "to park it as `full`", "that is full is waited for, with its credentials as they are") { remedy in
            if case .park(.full, _) = remedy { true } else { false }
        },
        remedy(.throttled, "to park it as `throttled`", "that asks to slow down is waited for") { remedy in
            if case .park(.throttled, _) = remedy { true } else { false }
        },
        remedy(.misconfigured, "to park it as `misconfigured`", "that is not what is configured is waited for") { remedy in
            if case .park(.misconfigured, _) = remedy { true } else { false }
        },
    ]

    private static func remedy(
        _ fault: ContractFault, _ wanted: String, _ promise: String, isRight: @escaping @Sendable (Remedy) -> Bool
    ) -> ContractCase {
        ContractCase("a place \(promise)") { place in
            guard let submitter = try await place.submitter(meeting: fault) else {
                throw NotTried("that fault cannot be made there")
            }
            let bytes = try await place.bytes(count: 3 << 20)
            let failure = try await expectFailure("a place \(promise.prefix { $0 != "," })") {
                () async throws(SubmitFailure) in
                try await submitter.submit(
                    bytes.item(named: "photo.jpg"), bytes: bytes, context: AttemptRecord().context())
            }
            try expect(
                isRight(failure.remedy), "the remedy should be \(wanted) and is `\(failure.remedy)`: \(failure.sentence)")
        }
    }
}

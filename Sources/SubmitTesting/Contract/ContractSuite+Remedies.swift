internal import Submit
internal import SubmitPluginProtocol

extension ContractSuite {
    static let remedies: [ContractCase] =
        faults.map { fault, promise in
            ContractCase(
                "fault-\(fault.rawValue)", "a place \(promise)",
                needs: fault == .full ? [.fault(fault), .largeItems, .bytes] : [.fault(fault), .largeItems],
                looks: false
            ) { place in
                if fault == .full { try await place.needsBytes() }
                guard let submitter = try await place.submitter(meeting: fault) else {
                    throw NotTried.unmade(fault)
                }
                let bytes = try await place.bytes(count: 3 << 20)
                let failure = try await expectFailure("a place \(promise.prefix { $0 != "," })") {
                    () async throws(SubmitFailure) in
                    try await submitter.submit(
                        bytes.item(named: "photo.jpg"), bytes: bytes, context: ObservedAttempt().context())
                }
                try expect(fault.isMeant(by: failure.remedy), fault.complaint(about: failure))
            }
        } + [
            ContractCase(
                "fault-midway",
                "a place that fails in the midst is told as what it is, and gets one copy when it is mended",
                needs: [.singleRequests]
            ) { place in
                var (tried, copies) = (0, try await place.firstCopy())
                for (fault, _) in faults {
                    tried += try await place.meets(fault, &copies) { failure in
                        // In the midst, what is not there may be what was just stored, of which anything may be said.
                        if fault == .misconfigured { return }
                        try expect(fault.isMeant(by: failure.remedy), fault.complaint(about: failure))
                    }
                }
                if tried == 0 { throw NotTried.noSingleRequests }
            },
            ContractCase(
                "lost-any-reply", "whichever reply is lost, a submission ends done, with one copy",
                needs: [.singleRequests]
            ) { place in
                var copies = try await place.firstCopy()
                let tried = try await place.meets(.losesReply, &copies) { try $0.expectGoingOn() }
                if tried == 0 { throw NotTried.noSingleRequests }
            },
        ]

    private static let faults: [(ContractFault, String)] = [
        (.unreachable, "that cannot be reached is waited for"),
        (.refusesCredentials, "that refuses the credentials asks for others"),
        (.full, "that is full is waited for, with its credentials as they are"),
        (.throttled, "that asks to slow down is waited for"),
        (.misconfigured, "that is not what is configured is waited for"),
    ]
}

extension ContractFault {
    fileprivate func isMeant(by remedy: Remedy) -> Bool {
        switch (self, remedy) {
        case (.unreachable, .hold(.unreachable, _)), (.refusesCredentials, .renewCredentials), (.full, .hold(.full, _)),
            (.throttled, .hold(.throttled, _)), (.misconfigured, .hold(.misconfigured, _)):
            true
        default: false
        }
    }

    fileprivate func complaint(about failure: SubmitFailure) -> String {
        let wanted: Remedy =
            switch self {
            case .refusesCredentials: .renewCredentials
            case .full: .hold(.full, after: nil)
            case .throttled: .hold(.throttled, after: nil)
            case .misconfigured: .hold(.misconfigured, after: nil)
            default: .hold(.unreachable, after: nil)
            }
        return failure.complaint(wanting: wanted)
    }
}

extension SubmitFailure {
    /// In the words of the plug-in protocol, which authors in every language have before them.
    func complaint(wanting wanted: Remedy) -> String {
        "the failure should have `\(wanted.fieldsText)` and has `\(remedy.fieldsText)`: \(message)"
    }
}

extension ContractPlace {
    /// Requests, after which a submission of one small item is no longer followed.
    private var mostRequests: Int { 40 }

    /// One that is there before: what is asked once of a destination was asked.
    fileprivate func firstCopy() async throws -> [[UInt8]] {
        let bytes = try await bytes(count: 300, seed: 1000)
        _ = try await submit(bytes, named: "photo first.jpg", as: "contract-first")
        return [bytes.content]
    }

    /// Submits one item after the other, of which the first meets the fault at its first request, the next at its second,
    /// until one has so few that it meets none. Each is submitted again when the fault is over.
    ///
    /// - Parameters:
    ///   - copies: those that are there.
    ///   - check: gets what was said of the fault. Some requests may fail without harm.
    /// - Returns: at how many requests the fault was met.
    fileprivate func meets(
        _ fault: ContractFault, _ copies: inout [[UInt8]], _ check: (SubmitFailure) throws -> Void
    ) async throws -> Int {
        var number = 0
        while true {
            guard let submitter = try await submitter(meeting: fault, atRequest: number) else { return 0 }
            let bytes = try await bytes(count: 300 + copies.count, seed: UInt64(copies.count))
            let (item, record) = (bytes.item(named: "photo \(fault.rawValue) \(number).jpg"), ObservedAttempt())
            let id = "contract-\(fault.rawValue)-\(number)"
            var outcome = await Result { () async throws(SubmitFailure) in
                try await submitter.submit(item, bytes: bytes, context: record.context(id))
            }
            let isMet = hasMetFault
            try await endFault()
            if isMet, case .failure(let failure) = outcome { try check(failure) }
            for attempt in 2...5 {
                guard case .failure = outcome else { break }
                outcome = await Result { () async throws(SubmitFailure) in
                    try await submitter.submit(
                        item, bytes: bytes, context: record.context(id, attempt: attempt, from: record.checkpoint))
                }
            }
            if case .failure(let failure) = outcome {
                throw ContractViolation(
                    description: "when “\(fault.rawValue)” at request \(number + 1) was over, it still failed: "
                        + failure.message)
            }
            copies.append(bytes.content)
            if !isMet || number == mostRequests { break }
            number += 1
        }
        // Once: a place may have to read all of them for it.
        try await expectExactly(copies, after: "“\(fault.rawValue)” at each of \(number) requests")
        return number
    }
}

internal import Submit

extension ContractSuite {
    static let secrecy: [ContractCase] = [
        ContractCase("no-secret-described", "no secret shows in any description", needs: [.secrets], looks: false) {
            place in
            try place.needsSecrets()
            let submitter = try await place.makeSubmitter()
            var dumped = ""
            dump(submitter, to: &dumped)
            try place.expectNoSecret(
                in: [dumped, "\(submitter)", String(reflecting: submitter)], "the description of the submitter")
        },
        ContractCase(
            "no-secret-in-failures", "no secret shows in any failure",
            needs: [.secrets, .anyFault, .largeItems], looks: false
        ) { place in
            try place.needsSecrets()
            var tried = 0
            let keepsBytes = try await place.makeSubmitter().capabilities.keepsBytes
            for fault in ContractFault.allCases where fault != .losesReply && (keepsBytes || fault != .full) {
                guard let broken = try await place.submitter(meeting: fault) else { continue }
                tried += 1
                let bytes = try await place.bytes(count: 3 << 20)
                let failure = try await expectFailure("a place with the fault “\(fault.rawValue)”") {
                    () async throws(SubmitFailure) in
                    try await broken.submit(
                        bytes.item(named: "photo.jpg"), bytes: bytes, context: ObservedAttempt().context())
                }
                try place.expectNoSecret(
                    in: [failure.message, failure.code, String(reflecting: failure)],
                    "the failure of a place with the fault “\(fault.rawValue)”")
                switch await Result({ () async throws(SubmitFailure) in try await broken.check() }) {
                case .success(let sentence): try place.expectNoSecret(in: [sentence], "what a check found")
                case .failure(let failure):
                    try place.expectNoSecret(
                        in: [failure.message], "the failure of its check with the fault “\(fault.rawValue)”")
                }
                try await place.endFault()
            }
            if tried == 0 { throw NotTried.unmade("any fault", .anyFault) }
        },
        ContractCase(
            "no-secret-written", "no secret is in a receipt, a checkpoint or a note",
            needs: [.secrets, .largeItems], looks: false
        ) { place in
            try place.needsSecrets()
            let record = ObservedAttempt()
            let bytes = try await place.bytes(count: place.sizeInParts())
            let receipt = try await place.submit(bytes, record: record)
            try place.expectNoSecret(
                in: [receipt.remoteID, receipt.url ?? "", receipt.note ?? ""], "a receipt")
            try place.expectNoSecret(
                in: record.checkpoints.map { String(decoding: $0.data, as: UTF8.self) }, "a checkpoint")
            try place.expectNoSecret(in: place.notes.map { String(decoding: $0, as: UTF8.self) }, "a note")
        },
    ]
}

extension ContractPlace {
    fileprivate func needsSecrets() throws {
        if secrets.isEmpty { throw NotTried(lacking: .secrets, "it has no secret of 8 characters or more") }
    }

    fileprivate func expectNoSecret(in texts: [String], _ what: String) throws {
        for text in texts {
            let begins = secrets.compactMap { text.firstRange(of: $0)?.lowerBound }
            guard let begin = begins.min() else { continue }
            let place = text.distance(from: text.startIndex, to: begin)
            throw ContractViolation(
                description: "\(what) should show no secret, and shows one at character \(place + 1) of \(text.count)")
        }
    }
}

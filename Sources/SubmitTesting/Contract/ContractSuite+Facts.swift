internal import Submit

extension ContractSuite {
    static let facts: [ContractCase] = [
        ContractCase("facts and facets agree") { place in
            let submitter = try place.makeSubmitter()
            let facts = submitter.capabilities
            try expect(
                facts.albums == (submitter.facets.albums != nil), "the fact `albums` and the facet `albums` disagree")
            try expect(!facts.kinds.isEmpty, "it takes no kind of media at all")
            try expect(facts.minimumGapMilliseconds >= 0, "the minimum gap is negative")
            try expect(facts.maximumSize.values.allSatisfy { $0 > 0 }, "a size limit is not positive")
            if case .concurrent(let limit) = facts.ordering { try expect(limit >= 1, "its width is \(limit)") }
            try expect(try place.makeSubmitter().capabilities == facts, "two submitters state different facts")
        },
        ContractCase("a check says what was found and leaves nothing") { place in
            let sentence = try await place.makeSubmitter().check()
            try expect(!sentence.isEmpty, "the check says nothing")
            try await place.expectExactly([], after: "a check")
        },
        ContractCase("no secret shows in any description") { place in
            let submitter = try place.makeSubmitter()
            var dumped = ""
            dump(submitter, to: &dumped)
            for text in [dumped, "\(submitter)", String(reflecting: submitter)] {
                for secret in place.secrets {
                    try expect(!text.contains(secret), "a description of the submitter shows a secret")
                }
            }
            for fault in ContractFault.allCases {
                guard let broken = try await place.submitter(meeting: fault) else { continue }
                let failure = try await expectFailure("a place that is \(fault)") { () async throws(SubmitFailure) in
                    try await broken.submit(
                        ScriptedBytes([1, 2, 3]).item(named: "photo.jpg"), bytes: ScriptedBytes([1, 2, 3]),
                        context: SubmissionContext(submission: "contract-1"))
                }
                for secret in place.secrets {
                    try expect(!failure.sentence.contains(secret), "a failure shows a secret")
                }
            }
        },
    ]
}

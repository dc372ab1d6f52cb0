internal import Submit

extension ContractSuite {
    static let facts: [ContractCase] = [
        ContractCase("facts-agree", "facts and facets agree", looks: false) { place in
            let submitter = try await place.makeSubmitter()
            let facts = submitter.capabilities
            try expect(
                facts.supportsAlbums == (submitter.facets.albums != nil),
                "there should be a facet `albums` just where the fact says so, which is \(facts.supportsAlbums)")
            try expect(!facts.kinds.isEmpty, "it takes no kind of media at all")
            try expect(facts.minimumGap >= .zero, "the minimum gap is negative")
            try expect(facts.maximumSize.values.allSatisfy { $0 > 0 }, "a size limit is not positive")
            try expect(facts.captionLimit ?? 0 >= 0, "the caption limit is negative")
            if case .concurrent(let limit) = facts.ordering { try expect(limit >= 1, "its width is \(limit)") }
            let other = try await place.makeSubmitter().capabilities
            try expect(
                other == facts, "two submitters should state the same facts, and one says \(facts), the other \(other)")
        },
        ContractCase("check-leaves-nothing", "a check says what was found and leaves nothing") { place in
            let sentence = try await place.makeSubmitter().check()
            try expect(!sentence.isEmpty, "the check says nothing")
            try await place.expectExactly([], after: "a check")
        },
    ]
}

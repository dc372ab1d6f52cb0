internal import Submit

extension ContractSuite {
    static let conflicts: [ContractCase] = [
        ContractCase(
            "conflict-rename", "other bytes with the name stay, and the item takes the next name", needs: [.otherWriter]
        ) { place in
            let other = try await place.putOther()
            let bytes = try await place.bytes(count: 300)
            let receipt = try await place.submit(bytes)
            try await place.expectExactly([other, bytes.content], after: "a conflict with `rename`")
            try expect(
                receipt.remoteID.contains("photo-1.jpg"),
                "the next name should be photo-1.jpg and is “\(receipt.remoteID)”")
            let again = try await place.submit(bytes)
            try expect(
                again.remoteID == receipt.remoteID,
                "the renamed copy should be found as “\(receipt.remoteID)”, and the receipt names “\(again.remoteID)”")
            try await place.expectExactly([other, bytes.content], after: "the same submission again")
        },
        ContractCase("conflict-skip", "other bytes with the name are left alone by `skip`", needs: [.otherWriter]) {
            place in
            let other = try await place.putOther()
            let receipt = try await place.submit(place.bytes(count: 300), onConflict: .skip)
            try expect(receipt.note != nil, "the receipt should have a note that the item was skipped, and has none")
            try expect(receipt.evidence != .verified, "a skipped item should not be `verified`, as it is not there")
            try await place.expectExactly([other], after: "a conflict with `skip`")
        },
        ContractCase(
            "conflict-overwrite", "other bytes with the name are replaced by `overwrite`", needs: [.otherWriter]
        ) { place in
            _ = try await place.putOther()
            let bytes = try await place.bytes(count: 300)
            _ = try await place.submit(bytes, onConflict: .overwrite)
            try await place.expectExactly([bytes.content], after: "a conflict with `overwrite`")
        },
        ContractCase(
            "conflict-fail", "other bytes with the name fail the submission by `fail`", needs: [.otherWriter]
        ) { place in
            let other = try await place.putOther()
            let bytes = try await place.bytes(count: 300)
            let failure = try await expectFailure("a conflict with `fail`") { () async throws(SubmitFailure) in
                try await place.submit(bytes, onConflict: .fail)
            }
            try expect(
                failure.remedy == .giveUp,
                failure.complaint(wanting: .giveUp))
            try await place.expectExactly([other], after: "a conflict with `fail`")
        },
        ContractCase(
            "failure-leaves-others", "a submission that fails leaves the copy that was there, even by `overwrite`",
            needs: [.otherWriter, .bytes]
        ) { place in
            let other = try await place.putOther()
            let bytes = try await place.bytes(count: 100_000, fault: .endsAt(65_536))
            for policy in [ConflictPolicy.overwrite, .rename] {
                let record = ObservedAttempt()
                _ = try await expectFailure("a source that ends too early") { () async throws(SubmitFailure) in
                    try await place.submit(bytes, onConflict: policy, record: record)
                }
                try await place.makeSubmitter().discard(
                    bytes.item(named: "photo.jpg"),
                    context: ObservedAttempt().context(onConflict: policy, from: record.checkpoint))
                try await place.expectCopies([other], after: "a submission by `\(policy)` that failed")
            }
        },
        ContractCase("same-bytes", "the same bytes count as done under every policy") { place in
            let bytes = try await place.bytes(count: 300)
            let first = try await place.submit(bytes)
            for (index, policy) in ConflictPolicy.allCases.enumerated() {
                let receipt = try await place.submit(bytes, as: "contract-other-\(index)", onConflict: policy)
                try expect(
                    receipt.remoteID == first.remoteID,
                    "by `\(policy)` the same bytes should be found as “\(first.remoteID)”, and the receipt names “\(receipt.remoteID)”"
                )
            }
            try await place.expectExactly([bytes.content], after: "the same bytes five times")
        },
        ContractCase("two-writers", "two writers of different bytes to one name never destroy each other") { place in
            var all: [ScriptedBytes] = []
            for index in 0..<8 { all.append(try await place.bytes(count: 20_000, seed: UInt64(index + 1))) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, bytes) in all.enumerated() {
                    group.addTask { _ = try await place.submit(bytes, as: "contract-\(index)") }
                }
                try await group.waitForAll()
            }
            try await place.expectExactly(all.map(\.content), after: "eight writers to one name")
        },
    ]

    /// The last one: samples of the cases go by their places.
    static let repairs: [ContractCase] = [
        ContractCase(
            "conflict-repair", "a repair by `overwrite` never touches another photo", needs: [.otherWriter, .bytes]
        ) { place in
            let other = try await place.putOther()
            let bytes = try await place.bytes(count: 300)
            let first = try await place.submit(bytes)
            try expect(
                first.remoteID.contains("photo-1.jpg"),
                "the next name should be photo-1.jpg and is “\(first.remoteID)”")
            try await place.put(place.content(count: 300, seed: 78, owner: "the damaged copy"), named: "photo-1.jpg")
            var context = ObservedAttempt().context(attempt: 2, onConflict: .overwrite, verification: .usual)
            context.disproved = first.remoteID
            let receipt = try await place.makeSubmitter().submit(
                bytes.item(named: "photo.jpg"), bytes: bytes, context: context)
            let kept = try await place.contents()
            try expect(
                kept.values.contains { $0.equals(other) },
                "the repair of “\(first.remoteID)” replaced someone else's photo")
            try expect(
                kept.values.contains { $0.equals(bytes.content) },
                "the repaired copy should be there as “\(receipt.remoteID)”, and there is \(KnownBytes.names(of: kept))"
            )
        }
    ]
}

extension ContractPlace {
    /// Puts other bytes where an item named `photo.jpg` would go, as someone else would.
    func putOther() async throws -> [UInt8] {
        let other = content(count: 300, seed: 77, owner: "someone else's")
        try await put(other, named: "photo.jpg")
        return other
    }
}

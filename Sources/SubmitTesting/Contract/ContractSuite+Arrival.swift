internal import Submit

extension ContractSuite {
    static let arrival: [ContractCase] =
        [0, 1, 65_535, 65_536, 65_537, (1 << 20) + 1, (8 << 20) - 1, 8 << 20, (8 << 20) + 1].map { size in
            ContractCase("an item of \(size) bytes arrives whole") { place in
                let bytes = ScriptedBytes(ScriptedBytes.content(count: size))
                let progress = Progress()
                let receipt = try await place.submit(bytes, sent: progress.report)
                try await place.expectExactly([bytes.content], after: "an item of \(size) bytes")
                try expect(!receipt.remoteID.isEmpty, "the receipt has no remote id")
                try expect(!receipt.wasThere, "the receipt says that a new item was there before")
                try expect(receipt.evidence != .unknown, "there is no evidence that it arrived")
                try progress.expectEnd(at: bytes.size)
            }
        } + oddNames.map { name in
            ContractCase("an item named \(String(reflecting: name.prefix(24))) arrives") { place in
                let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))
                _ = try await place.submit(bytes, named: name)
                try await place.expectExactly([bytes.content], after: "a name like that")
                let again = try await place.submit(bytes, named: name)
                try expect(again.wasThere, "it was not recognised under that name")
            }
        } + [
            ContractCase("two items with different odd names both arrive") { place in
                for (index, name) in oddNames.enumerated() {
                    let bytes = ScriptedBytes(ScriptedBytes.content(count: 100, seed: UInt64(index + 1)))
                    _ = try await place.submit(bytes, named: name, as: "contract-\(index)")
                }
                let contents = try await place.contents()
                try expect(contents.count == oddNames.count, "some names fell together: \(contents.keys.sorted())")
            },
            ContractCase("as many at once as it takes all arrive") { place in
                let submitter = try place.makeSubmitter()
                let count = submitter.capabilities.ordering.width * 2
                let all = (0..<count).map { ScriptedBytes(ScriptedBytes.content(count: 50_000 + $0, seed: UInt64($0))) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, bytes) in all.enumerated() {
                        group.addTask {
                            _ = try await submitter.submit(
                                bytes.item(named: "photo \(index).jpg"), bytes: bytes,
                                context: SubmissionContext(submission: "contract-\(index)"))
                        }
                    }
                    try await group.waitForAll()
                }
                try await place.expectExactly(all.map(\.content), after: "\(count) submissions at once")
            },
            ContractCase("captions and tags in any language do no harm") { place in
                let bytes = ScriptedBytes([9, 8, 7])
                let item = bytes.item(
                    named: "photo.jpg", caption: "Am Hafen: “Möwe” – 港の朝 🌅\r\nX-Evil: yes",
                    tags: ["a,b", "c\"d", "é", ""])
                _ = try await place.makeSubmitter().submit(
                    item, bytes: bytes, context: SubmissionContext(submission: "contract-1"))
                try await place.expectExactly([bytes.content], after: "a caption")
            },
            ContractCase("a submission made again is recognised and not sent again") { place in
                let bytes = ScriptedBytes(ScriptedBytes.content(count: 200_000))
                let first = try await place.submit(bytes)
                let progress = Progress()
                let second = try await place.submit(bytes, sent: progress.report)
                try expect(second.wasThere, "the second receipt does not say that the copy was there")
                try expect(second.remoteID == first.remoteID, "the second receipt has another remote id")
                try expect(progress.last ?? 0 == 0, "bytes were sent again")
                try await place.expectExactly([bytes.content], after: "the same submission twice")
            },
            ContractCase("presence is told apart from absence") { place in
                let submitter = try place.makeSubmitter()
                guard let presence = submitter.facets.presence else { return }
                let bytes = ScriptedBytes(ScriptedBytes.content(count: 5000))
                let item = bytes.item(named: "photo.jpg")
                let receipt = try await place.submit(bytes)
                guard case .present = await presence.presence(of: item, receipt: receipt) else {
                    throw ContractViolation(description: "a copy that is there was not found")
                }
                let elsewhere = Receipt(remoteID: receipt.remoteID + "-not-there", evidence: .verified)
                let absent = await presence.presence(of: item, receipt: elsewhere)
                try expect(absent == .absent, "a copy that is not there was answered with \(absent)")
            },
        ]

    private static let oddNames = [
        "mit Leerzeichen + Plus & Co=1.jpg", "100% #1? [x]{y}.jpg", "quote's \"double\" <tag>.jpg", "a\\b:c*d|e.jpg",
        "new\nline.jpg", "tab\tand\u{1}control.jpg", "写真-🌅-é.jpg", "e\u{301}-decomposed.jpg", "-dash.jpg",
        "no-extension", ".hidden.jpg", "trailing.", " leading and trailing .jpg ", "a..b.jpg", "%2e%2e%2f.jpg",
        String(repeating: "n", count: 251) + ".jpg", String(repeating: "写", count: 83) + ".jpg",
    ]
}

/// What a submitter reported of its progress.
private final class Progress: Sendable {
    private let numbers = Locked<[Int64]>([])

    var report: @Sendable (Int64) -> Void {
        { [numbers] number in numbers.withLock { $0.append(number) } }
    }

    var last: Int64? { numbers.withLock { $0.last } }

    func expectEnd(at size: Int64) throws {
        let all = numbers.withLock { $0 }
        try expect(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 }, "progress went backwards: \(all.suffix(20))")
        try expect(size == 0 || all.last == size, "progress ended at \(all.last ?? 0) of \(size)")
    }
}

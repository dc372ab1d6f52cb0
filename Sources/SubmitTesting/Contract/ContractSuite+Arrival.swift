internal import Submit

extension ContractSuite {
    static let arrival: [ContractCase] =
        [0, 1, 65_535, 65_536, 65_537, (1 << 20) + 1].map { size in
            ContractCase(
                "size-\(size)", "an item of \(size) bytes arrives whole",
                needs: size > 1 << 20 ? [.largeItems, .bytes] : [.bytes]
            ) {
                try await $0.expectArrival(ofSize: size)
            }
        } + [
            ContractCase(
                "part-less-a-byte", "an item of a byte less than a part arrives whole", needs: [.largeItems, .bytes]
            ) { place in
                try await place.expectArrival(ofSize: Int(place.partSize ?? 8 << 20) - 1)
            },
            ContractCase("part-exactly", "an item of exactly a part arrives whole", needs: [.largeItems, .bytes]) {
                place in
                try await place.expectArrival(ofSize: Int(place.partSize ?? 8 << 20))
            },
            ContractCase(
                "part-and-a-byte", "an item of a byte more than a part arrives whole", needs: [.largeItems, .bytes]
            ) { place in
                try await place.expectArrival(ofSize: Int(place.partSize ?? 8 << 20) + 1)
            },
            ContractCase("type-png", "a PNG arrives as it is", needs: [.png]) {
                try await $0.expectArrival(of: .png, .png)
            },
            ContractCase("type-mp4", "an MP4 arrives as it is", needs: [.mp4]) {
                try await $0.expectArrival(of: .mp4, .mp4)
            },
        ]
        + oddNames.map { what, name in
            ContractCase("name-\(what)", "an item named \(String(reflecting: name.prefix(24))) arrives") { place in
                let bytes = try await place.bytes(count: 1000)
                let first = try await place.submit(bytes, named: name)
                let again = try await place.submit(bytes, named: name)
                try await place.expectExactly([bytes.content], after: "a name like that, twice")
                try expect(
                    again.remoteID == first.remoteID,
                    "the same item again should be found as “\(first.remoteID)” and is called “\(again.remoteID)”")
            }
        } + [
            ContractCase("names-apart", "two items with different odd names both arrive") { place in
                for (index, name) in oddNames.map(\.name).enumerated() {
                    let bytes = try await place.bytes(count: 100, seed: UInt64(index + 1))
                    _ = try await place.submit(bytes, named: name, as: "contract-\(index)")
                }
                let contents = try await place.contents()
                try expect(
                    contents.count == oddNames.count,
                    "there should be \(oddNames.count) copies and there are \(contents.count): "
                        + KnownBytes.names(of: contents))
            },
            ContractCase(
                "as-many-at-once", "as many at once as it takes all arrive, and no more are ever on their way"
            ) { place in
                let submitter = try await place.makeSubmitter()
                let width = submitter.capabilities.ordering.width
                var all: [ScriptedBytes] = []
                for index in 0..<width { all.append(try await place.bytes(count: 50_000 + index, seed: UInt64(index))) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, bytes) in all.enumerated() {
                        group.addTask {
                            _ = try await submitter.submit(
                                bytes.item(named: "photo \(index).jpg"), bytes: bytes,
                                context: ObservedAttempt().context("contract-\(index)"))
                        }
                    }
                    try await group.waitForAll()
                }
                try await place.expectExactly(all.map(\.content), after: "\(width) submissions at once")
                let widest = place.widest ?? 0
                try expect(widest <= width, "\(widest) were on their way at once where \(width) may be")
            },
            ContractCase("caption", "captions and tags in any language do no harm") { place in
                let bytes = try await place.bytes(count: 300)
                let submitter = try await place.makeSubmitter()
                let caption = "Am Hafen: “Möwe” – 港の朝 🌅\r\nX-Evil: yes"
                let item = bytes.item(
                    named: "photo.jpg",
                    caption: submitter.capabilities.captionLimit.map { String(caption.prefix($0)) } ?? caption,
                    tags: ["a,b", "c\"d", "é", ""])
                _ = try await submitter.submit(item, bytes: bytes, context: ObservedAttempt().context())
                try await place.expectExactly([bytes.content], after: "a caption")
            },
            ContractCase("progress", "progress grows to the item's size, and never backwards", looks: false) { place in
                let record = ObservedAttempt()
                let bytes = try await place.bytes(count: 300_000)
                _ = try await place.submit(bytes, record: record)
                let all = record.sent
                try expect(
                    zip(all, all.dropFirst()).allSatisfy { $0 <= $1 }, "progress went backwards: \(all.suffix(20))")
                try expect(
                    all.last == bytes.size, "progress should end at \(bytes.size) bytes, and ended at \(all.last ?? 0)")
                try expect(
                    record.landed <= bytes.size,
                    "at most \(bytes.size) bytes can have landed, and \(record.landed) are said to have")
            },
            ContractCase("again", "a submission made again is recognised and not sent again") { place in
                // Of what is small it may cost less to have it refused than to ask first.
                let limit = try await place.makeSubmitter().capabilities.maximumSize[.photo] ?? .max
                let bytes = try await place.bytes(
                    count: limit > Capabilities.smallSize ? Int(Capabilities.smallSize) + 1 : 200_000)
                let first = try await place.submit(bytes)
                let record = ObservedAttempt()
                let second = try await place.submit(bytes, record: record)
                try expect(
                    second.wasThere,
                    "the second receipt should say that the copy was there, and says it was stored as “\(second.remoteID)”"
                )
                try expect(
                    second.remoteID == first.remoteID,
                    "the second receipt should name “\(first.remoteID)” and names “\(second.remoteID)”")
                try expect(
                    record.sent.last ?? 0 == 0,
                    "nothing should be sent again, and \(record.sent.last ?? 0) of \(bytes.size) bytes were")
                try await place.expectExactly([bytes.content], after: "the same submission twice")
            },
            ContractCase("readback", "a copy that is read back is verified", needs: [.readback]) { place in
                let submitter = try await place.submitter(
                    with: \.canReadBack, orLack: .readback, "it reads nothing back")
                let bytes = try await place.bytes(count: 5000)
                for attempt in 1...2 {
                    let receipt = try await submitter.submit(
                        bytes.item(named: "photo.jpg"), bytes: bytes,
                        context: ObservedAttempt().context(attempt: attempt, verification: .readback))
                    try expect(
                        receipt.evidence == .verified,
                        "a copy that was read back should be `verified` and is `\(receipt.evidence)`")
                }
                try await place.expectExactly([bytes.content], after: "a copy that was read back")
            },
        ]

    private static let oddNames: [(what: String, name: String)] = [
        ("spaces", "mit Leerzeichen + Plus & Co=1.jpg"), ("url-signs", "100% #1? [x]{y}.jpg"),
        ("quotes", "quote's \"double\" <tag>.jpg"), ("windows-signs", "a\\b:c*d|e.jpg"), ("newline", "new\nline.jpg"),
        ("control", "tab\tand\u{1}control.jpg"), ("unicode", "写真-🌅-é.jpg"), ("decomposed", "e\u{301}-decomposed.jpg"),
        ("dash", "-dash.jpg"), ("no-extension", "no-extension"), ("hidden", ".hidden.jpg"),
        ("trailing-dot", "trailing."),
        ("outer-spaces", " leading and trailing .jpg "), ("two-dots", "a..b.jpg"), ("percent", "%2e%2e%2f.jpg"),
        ("longest", String(repeating: "n", count: 251) + ".jpg"),
        ("longest-unicode", String(repeating: "写", count: 83) + ".jpg"),
    ]
}

extension ContractPlace {
    /// How large an item is that goes in several parts, where anything does.
    func sizeInParts() async throws -> Int {
        guard try await makeSubmitter().capabilities.canResume else { return 300_000 }
        return max(300_000, 3 * Int(partSize ?? 8 << 20) + 1)
    }

    fileprivate func expectArrival(of media: InventedMedia, _ requirement: ContractRequirement) async throws {
        let (type, capabilities) = (media.type, try await makeSubmitter().capabilities)
        guard capabilities.kinds.contains(type.kind), capabilities.mimeTypes?.contains(type.mime) ?? true else {
            throw NotTried(lacking: requirement, "it takes no \(type.mime)")
        }
        let bytes = try await bytes(media, count: 40_000)
        let receipt = try await makeSubmitter().submit(
            bytes.item(named: "photo.\(type.filenameExtension)", type: type), bytes: bytes,
            context: ObservedAttempt().context())
        try await expectExactly([bytes.content], after: "an item of type \(type.mime)")
        try expect(
            !receipt.wasThere,
            "an item that nobody had should be stored, and the receipt says that “\(receipt.remoteID)” was there before"
        )
    }

    fileprivate func expectArrival(ofSize size: Int) async throws {
        try await needsBytes()
        let bytes = try await bytes(count: size)
        let outcome = await Result { () async throws(SubmitFailure) in try await submit(bytes) }
        // No two items of no bytes differ.
        if size == 0, case .failure(let failure) = outcome, failure.code == "removed-there" {
            throw NotTried(
                "an item of no bytes was sent there and removed before, and what was removed is not brought back")
        }
        let receipt = try outcome.get()
        try await expectExactly([bytes.content], after: "an item of \(size) bytes")
        try expect(
            !receipt.remoteID.isEmpty,
            "the receipt should say what the copy is called there, and its remote id is empty")
        try expect(
            !receipt.wasThere,
            "an item that nobody had should be stored, and the receipt says that “\(receipt.remoteID)” was there before"
        )
        try expect(
            receipt.evidence != .unknown,
            "the receipt of “\(receipt.remoteID)” should say how sure it is, and its evidence is `unknown`")
    }
}

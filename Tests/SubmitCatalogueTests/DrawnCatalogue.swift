import Submit

@testable import SubmitCatalogue

/// Texts that people, cameras and others write.
enum DrawnTexts {
    static let all = [
        "", " ", "harbour", "Harbour", "HARBOUR", "Hafen", "50%", "100%", "a_b", "a\\b", "\\", "%", "_", "it's",
        "\"so\"",
        "nul\0in", "\0", "\u{E9}t\u{E9}", "e\u{301}te\u{301}", "ETE", "Straße", "STRASSE", "strasse", "İstanbul",
        "ıstanbul",
        "👨‍👩‍👧", "🌊 sea", "❤️", "❤", "ﬁsh", "fish", "％", "＿", "日本語の港", "港", "a\u{FFFF}b", "ΣΊΣΥΦΟΣ", "σίσυφος",
        "'; DROP TABLE picture; --", "line\nbreak", "so\u{AD}ft", "\u{1F600}", "\u{212B}", "Å", "A\u{30A}",
        "q\u{323}\u{307}",
        "q\u{307}\u{323}", "AND OR NOT", "NEAR(a b)", "words : x", "*", "^x", "-y", "\u{10FFFF}", "Ω", "ohm \u{2126}",
    ]
}

/// Pictures and questions of all kinds, drawn.
struct DrawnCatalogue<Numbers: RandomNumberGenerator> {
    var numbers: Numbers

    mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &numbers) < part }

    mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &numbers)]
    }

    mutating func text() -> String {
        chance(0.7)
            ? one(of: DrawnTexts.all)
            : (0..<Int.random(in: 1...3, using: &numbers)).reduce("") { text, _ in text + one(of: DrawnTexts.all) }
    }

    mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? { chance(0.35) ? nil : make(&self) }

    private mutating func number() -> Int64 {
        one(of: [0, 1, 2, 3, 640, 480, 4000, 1 << 53, 1 << 53 + 1, .max, .max - 1])
    }

    /// No file is larger, as the journal knows.
    private mutating func size() -> Int64 { min(number(), 1 << 56) }

    private mutating func place() -> CataloguePlace {
        let latitude = one(of: [
            0, 90, -90, 53.55, 53.56, 53.5500001, 89.99, Double.random(in: -90...90, using: &numbers),
        ])
        let longitude = one(of: [
            0, 180, -180, 9.99, 10, 179.99, -179.99, Double.random(in: -180...180, using: &numbers),
        ])
        return CataloguePlace(latitude: latitude, longitude: longitude)!
    }

    private mutating func seconds() -> Int64 {
        one(of: [
            0, -1, 1_767_225_600, 1_767_225_599, 1_769_904_000,
            Int64.random(in: -2_000_000_000...4_000_000_000, using: &numbers),
        ])
    }

    private static var evidence: [String] { ["verified", "echoed", "size", "accepted", "unknown"] }
    private static var destinations: [String] { ["nas", "cloud", "blog", "NAS", "öl"] }

    mutating func picture(_ id: Int64) -> CataloguePicture {
        CataloguePicture(
            id: id, digest: CataloguePicture.plain(id).digest, name: text(), title: optional { $0.text() },
            caption: optional { $0.text() }, tags: (0..<Int.random(in: 0...3, using: &numbers)).map { _ in text() },
            albums: (0..<Int.random(in: 0...2, using: &numbers)).map { _ in text() },
            kind: one(of: ["photo", "video", "other"]), type: one(of: ["image/jpeg", "image/heic", "video/mp4"]),
            size: size(), width: optional { $0.number() }, height: optional { $0.number() },
            place: optional { $0.place() }, placeName: optional { $0.text() }, isPlaceShown: chance(0.5),
            captured: optional {
                WallClockTime(seconds: $0.seconds(), offset: $0.optional { $0.one(of: [0, 3600, -7200]) })
            },
            accepted: one(of: [0, 1, 1_767_225_600_000_000_000, 1_767_225_600_123_456_789]),
            owner: one(of: ["me", "Me", "ann", "ä"]),
            copies: (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
                CatalogueCopy(
                    destination: one(of: Self.destinations), evidence: one(of: Self.evidence),
                    url: optional { "https://x.example/" + $0.text() },
                    rendition: optional {
                        CatalogueRendition(digest: [1, 2, 3], type: "image/webp", size: $0.size())
                    })
            })
    }

    // MARK: Questions

    private mutating func value(_ field: CatalogueField) -> RecordValue {
        switch field.holds {
        case .text, .texts:
            switch field {
            case .kind: .text(one(of: ["photo", "video", "other"]))
            case .type: .text(one(of: ["image/jpeg", "video/mp4"]))
            case .owner: .text(one(of: ["me", "Me", "ann"]))
            case .destinations, .proven: .text(one(of: Self.destinations))
            case .evidence: .text(one(of: Self.evidence))
            default: .text(text())
            }
        case .number:
            chance(0.5)
                ? .integer(number())
                : .real(one(of: [0, 0.5, -0.5, 53.55, 9.99, 1e300, -1e300, 0x1p63, 0x1p53, 1e15 + 0.5]))
        case .digest:
            .text(Hexadecimal.text(of: CataloguePicture.plain(Int64.random(in: 1...40, using: &numbers)).digest))
        case .time: .text(date())
        case .truth, .place, .objects: .truth(chance(0.5))
        }
    }

    private mutating func date() -> String {
        let whole = WrittenTime(seconds: seconds(), nanoseconds: one(of: [0, 0, 1, 123_456_789])).text
        return one(of: [whole, String(whole.prefix(one(of: [4, 7, 10, 16, 19])))])
    }

    private mutating func pattern() -> RecordValue {
        while true {
            let pieces = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
                one(of: ["%", "_", "\\%", "\\_", "%", text()])
            }
            if LikePattern(pieces.joined(), isFolded: false) != nil { return .text(pieces.joined()) }
        }
    }

    private mutating func condition(_ field: CatalogueField) throws -> CatalogueCondition {
        let test = CatalogueTest(rawValue: one(of: field.holds.operators))!
        let asked: RecordValue =
            switch test {
            case .eq, .neq: chance(0.15) || field.holds == .place ? .null : value(field)
            case .gt, .gte, .lt, .lte: value(field)
            case .between: .list([value(field), value(field)])
            case .inq, .nin: .list((0..<Int.random(in: 0...4, using: &numbers)).map { _ in value(field) })
            case .like, .ilike, .nlike, .nilike: pattern()
            case .regexp:
                .text(
                    one(of: [
                        "^a", "b$", "[a-z]+", "\\d", "^$", "a|b", "(ha|fi).", ".{3,}", "/[^a]/i", "/x*/i", "\\s", "港",
                    ]))
            case .near:
                Nearness(
                    place(), atLeast: chance(0.2) ? 500 : 0,
                    within: chance(0.2) ? nil : one(of: [0, 1, 1000, 100_000, 5_000_000, 30_000_000.0]))!.record
            case .exists: .truth(chance(0.5))
            }
        return try CatalogueCondition(field, test, asked)
    }

    mutating func filter(depth: Int) throws -> CatalogueFilter {
        if depth == 0 || chance(0.4) {
            let field = one(of: CatalogueField.allCases.filter { $0 != .copies })
            return .condition(try condition(field))
        }
        let parts = try (0..<Int.random(in: 1...3, using: &numbers)).map { _ in try filter(depth: depth - 1) }
        return one(of: [.and(parts), .or(parts), .nor(parts)])
    }

    mutating func query() throws -> CatalogueQuery {
        let fields = CatalogueField.allCases.filter(\.isOrdered)
        var order = try (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
            try CatalogueOrder(one(of: fields), isDescending: chance(0.5))
        }
        if chance(0.1) { order.append(.nearest(to: place())) }
        let words = chance(0.3) ? try? SearchWords(text(), includesPlace: chance(0.5)) : nil
        return try CatalogueQuery(
            filter(depth: 4), search: words, order: order,
            skip: chance(0.2) ? Int.random(in: 0...5, using: &numbers) : 0,
            limit: one(of: [1, 2, 7, 1000]))
    }
}

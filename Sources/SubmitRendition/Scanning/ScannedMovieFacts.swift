/// What a film says of itself by names and values (QuickTime File Format, “Metadata atoms and types”).
struct ScannedMovieFacts {
    private static let facts: [String: KeptFact] = [
        "com.apple.quicktime.creationdate": .date, "com.apple.quicktime.make": .camera,
        "com.apple.quicktime.model": .camera, "com.apple.quicktime.copyright": .copyright,
    ]

    static func check(_ meta: ScannedBox, _ allowed: Set<KeptFact>, _ found: inout FoundTraces) {
        // MP4 has a version in front, QuickTime has none.
        let boxes = meta.children(from: meta.isZero(to: 4) ? 4 : 0, &found)
        guard boxes.map(\.type) == ["hdlr", "keys", "ilst"] else {
            return found.add("a part that is not known to tell nothing (meta)", at: meta.offset)
        }
        _ = boxes[0].checkHandler(["mdta"], &found)
        let keys = boxes[1].children(from: 8, &found)
        if !boxes[1].isZero(to: 4) || boxes[1].number(at: 4, width: 4) != keys.count {
            found.add(boxes[1].unreadable, at: boxes[1].offset)
        }
        let names = keys.map { String(decoding: $0.content, as: UTF8.self) }
        for (key, name) in zip(keys, names) where key.type != "mdta" || facts[name] == nil {
            found.add(
                name.hasPrefix("com.apple.quicktime.location") ? "a place" : "something that the film says of itself",
                at: key.offset)
        }
        if Set(names).count != names.count { found.add(boxes[1].unreadable, at: boxes[1].offset) }
        var seen: Set<Int> = []
        for item in boxes[2].children(&found) {
            let number = Int(Array(item.type.utf8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            guard 1...max(1, names.count) ~= number, !names.isEmpty, seen.insert(number).inserted,
                let fact = facts[names[number - 1]]
            else {
                found.add("something that the film says of itself", at: item.offset)
                continue
            }
            checkValue(item, fact, allowed, &found)
        }
    }

    private static func checkValue(
        _ item: ScannedBox, _ fact: KeptFact, _ allowed: Set<KeptFact>, _ found: inout FoundTraces
    ) {
        let what =
            switch fact {
            case .date: "the date when the film was made"
            case .camera: "the camera's name"
            default: "an author or a copyright"
            }
        guard allowed.contains(fact) else { return found.add(what, at: item.offset) }
        let boxes = item.children(&found)
        // Text (1), in no language of no country: that would tell where the camera's owner lives.
        guard boxes.count == 1, boxes[0].type == "data", boxes[0].content.starts(with: [0, 0, 0, 1, 0, 0, 0, 0]),
            9...264 ~= boxes[0].count
        else { return found.add("something that the film says of itself", at: item.offset) }
        let text = boxes[0].content.dropFirst(8)
        let isRight = fact == .date ? isDate(text) : ScannedEXIF.isPrintable(text)
        if !isRight { found.add("\(what), with more in it", at: item.offset) }
        if fact != .date {
            found.add(TellingWords.traces(in: Array(text), at: boxes[0].start + 8))
            if ScannedEXIF.hasLongFraction(text) { found.add("a number like that of a place", at: item.offset) }
            let words = ScannedText(text)
            if words.tellsPlace { found.add("a place in a text", at: item.offset) }
            if fact == .camera, words.tellsDevice { found.add("a serial number in the camera's name", at: item.offset) }
        }
    }

    /// `2024-05-17T18:45:00+0200`, and as ISO 8601 has it else.
    private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
        let shape = String(decoding: text.map { 0x30...0x39 ~= $0 ? 0x30 : $0 == 0x2d ? 0x2b : $0 }, as: UTF8.self)
        let day = "0000+00+00"
        guard text.count >= day.utf8.count, text[text.startIndex + 4] == 0x2d, text[text.startIndex + 7] == 0x2d else {
            return false
        }
        return shape == day
            || ["", ".000"].contains { fraction in
                ["", "Z", "+0000", "+00:00", "+00"].contains { shape == "\(day)T00:00:00\(fraction)\($0)" }
            }
    }
}

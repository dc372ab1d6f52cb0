internal import Submit

extension CataloguePicture {
    /// The picture as a record, by the names of ``CatalogueField``.
    ///
    /// - Parameters:
    ///   - fields: which, in this order; `nil`: all, and the degrees once, in `location`.
    ///   - revealsPlace: also where the owner does not show it. Otherwise all that tells it is null then.
    public func record(_ fields: [CatalogueField]? = nil, revealsPlace: Bool) -> DatasourceRecord {
        DatasourceRecord(
            (fields ?? Self.usualFields).map { field in
                let isHidden = field.tellsPlace && !isPlaceShown && !revealsPlace
                return RecordMember(field.rawValue, isHidden ? .null : value(field))
            })
    }

    /// Those that a record has where nobody says which.
    package static let usualFields = CatalogueField.allCases.filter { $0 != .latitude && $0 != .longitude }

    /// What a field holds, as texts: none, one or several.
    package func words(_ field: CatalogueField) -> [String] {
        switch value(field) {
        case .null: []
        case .text(let text): [text]
        case .list: texts(field)
        case .truth, .number, .object: [value(field).json]
        }
    }

    private func value(_ field: CatalogueField) -> RecordValue {
        switch field.holds {
        case .texts: .list(texts(field).map(RecordValue.text))
        case .place:
            place?.record ?? .null
        case .time where field == .captured:
            captured.map { time in
                let zone = time.offset.map(Self.zone) ?? ""
                return .text(WrittenTime(seconds: time.seconds, nanoseconds: 0).text + zone)
            } ?? .null
        case .objects: .list(copies.map { $0.record(url: $0.url) })
        case .text, .number, .digest, .time, .truth: RecordValue(key(field), of: field)
        }
    }

    /// `+02:00`
    private static func zone(_ offset: Int) -> String {
        let minutes = offset.magnitude / 60
        func two(_ number: UInt) -> String { (number < 10 ? "0" : "") + String(number) }
        return (offset < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
    }
}

extension RecordValue {
    /// What a field is compared by, as a record has it.
    package init(_ key: CatalogueKey, of field: CatalogueField) {
        switch key {
        case .null: self = .null
        case .integer(let number) where field.holds == .truth: self = .truth(number != 0)
        case .integer(let seconds) where field == .captured:
            self = .text(WrittenTime(seconds: seconds, nanoseconds: 0).text)
        case .integer(let nanoseconds) where field.holds == .time:
            self = .text(WrittenTime(nanosecondsSince1970: nanoseconds).text + "Z")
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .text(Hexadecimal.text(of: bytes))
        }
    }
}

extension WrittenTime {
    /// - Parameter nanoseconds: since 1970.
    init(nanosecondsSince1970 nanoseconds: Int64) {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(seconds: rest < 0 ? whole - 1 : whole, nanoseconds: rest < 0 ? rest + 1_000_000_000 : rest)
    }

    /// `2026-01-05T18:30:07`, with three, six or nine digits of a second where it has any: of years of four digits.
    var text: String {
        let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        let (date, second) = (CalendarDate(days: days), Int(seconds - days * 86400))
        func two(_ number: Int) -> String { CalendarDate.digits(number, 2) }
        var fraction = ""
        if nanoseconds > 0 {
            fraction = "." + CalendarDate.digits(Int(nanoseconds), 9)
            while fraction.hasSuffix("000") { fraction.removeLast(3) }
        }
        return "\(date.text)T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))\(fraction)"
    }
}

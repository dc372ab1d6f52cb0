/// Words that are published beside a photo, and tell what was taken out of it.
public enum TellingText {
    /// What a text tells that a rendition is to keep to itself: “the place” and “the date”; empty for what tells neither as far
    /// as that can be seen: coordinates and dates are found, names of towns are not.
    public static func facts(of text: String, besides policy: RenditionPolicy) -> [String] {
        guard let kept = policy.kept else { return [] }
        let numbers = Self.numbers(of: Array(text.unicodeScalars))
        var facts: [String] = []
        if holdsPlace(numbers) || holdsDegrees(text) || KeptText.tellsPlace(text.lowercased()) {
            facts.append("the place")
        }
        if !kept.contains(.date), holdsDate(numbers) { facts.append("the date") }
        return facts
    }

    /// A run of digits, with those behind a point.
    private struct Number {
        var whole: String
        var fraction: String?
        /// It stands within so many characters of the last one.
        var distance: Int
    }

    private static func numbers(of text: [Unicode.Scalar]) -> [Number] {
        var numbers: [Number] = []
        var (index, end) = (0, 0)
        func digits() -> String {
            var digits = ""
            while index < text.count, ("0"..."9").contains(text[index]) {
                digits.unicodeScalars.append(text[index])
                index += 1
            }
            return digits
        }
        while index < text.count {
            let start = index
            let whole = digits()
            guard !whole.isEmpty else {
                index += 1
                continue
            }
            var number = Number(whole: whole, distance: start - end)
            if index + 1 < text.count, text[index] == ".", ("0"..."9").contains(text[index + 1]) {
                index += 1
                number.fraction = digits()
            }
            numbers.append(number)
            end = index
        }
        return numbers
    }

    /// Two numbers beside each other that are a latitude and a longitude to a hundred metres or closer.
    private static func holdsPlace(_ numbers: [Number]) -> Bool {
        zip(numbers, numbers.dropFirst()).contains { first, second in
            guard let one = first.fraction, let other = second.fraction, one.count >= 3, other.count >= 3,
                let latitude = Int(first.whole), let longitude = Int(second.whole)
            else { return false }
            return latitude <= 90 && longitude <= 180 && second.distance <= 6
        }
    }

    /// `53°32'36"N`, `53 deg 32'`.
    private static func holdsDegrees(_ text: String) -> Bool {
        let words = text.lowercased()
        return ["°", "º", " deg "].contains { sign in
            words.ranges(of: sign).contains { range in
                words[..<range.lowerBound].last?.isNumber == true
                    && words[range.upperBound...].drop { $0 == " " }.first?.isNumber == true
            }
        }
    }

    /// `20260801`, `2026-08-01` and the like.
    private static func holdsDate(_ numbers: [Number]) -> Bool {
        func isDate(_ year: String, _ month: String, _ day: String) -> Bool {
            guard year.count == 4, month.count == 2, day.count == 2, let year = Int(year), let month = Int(month),
                let day = Int(day)
            else { return false }
            return (1826...2199).contains(year) && (1...12).contains(month) && (1...31).contains(day)
        }
        for (index, number) in numbers.enumerated() {
            let text = number.whole
            if text.count == 8 || text.count == 14,
                isDate(String(text.prefix(4)), String(text.dropFirst(4).prefix(2)), String(text.dropFirst(6).prefix(2)))
            {
                return true
            }
            guard index + 2 < numbers.count, numbers[index + 1].distance == 1, numbers[index + 2].distance == 1 else {
                continue
            }
            if isDate(text, numbers[index + 1].whole, numbers[index + 2].whole) { return true }
        }
        return false
    }
}

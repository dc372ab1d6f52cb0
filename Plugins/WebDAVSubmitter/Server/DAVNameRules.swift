internal import Submit

/// The names that a server takes, and gives back as they are.
///
/// Characters that control something (U+0000 to U+001F, and U+007F) are in none: no document of XML 1.0 can carry most of
/// them, and some servers keep them only for as long as they remember a listing.
struct DAVNameRules: Sendable, Hashable, Codable {
    /// ASCII characters that do not arrive as they are, wherever they stand.
    var refused = ""
    /// Characters beyond ASCII.
    var refusesNonASCII = false
    /// Characters beyond the Basic Multilingual Plane, such as emoji.
    var refusesEmoji = false
    /// What no name may begin with, and end with.
    var refusedFirst = ""
    var refusedLast = ""
    /// Bytes of UTF-8.
    var longest = FileName.maximumLength

    /// The name that something gets there: the same whenever it is asked for.
    ///
    /// - Parameter number: tells it from others of that name; 0 for none.
    func fitted(_ name: String, _ number: Int = 0) -> String {
        var scalars = Array(name.unicodeScalars).map { refuses($0) ? "_" : $0 }
        if let first = scalars.first, refusedFirst.unicodeScalars.contains(first) { scalars[0] = firstInstead }
        let room = longest - (number == 0 ? 0 : "-\(number)".utf8.count)
        var fitted = FileName(String(String.UnicodeScalarView(scalars))).fitted(toBytes: room)
        if let last = fitted.unicodeScalars.last, refusedLast.unicodeScalars.contains(last) {
            fitted.unicodeScalars.removeLast()
            fitted.unicodeScalars.append("_")
        }
        return number == 0 ? fitted : FileName(fitted).numbered(number)
    }

    /// What stands for a first character that is refused.
    private var firstInstead: Unicode.Scalar {
        Array("_-n".unicodeScalars).first { !refusedFirst.unicodeScalars.contains($0) && !refuses($0) } ?? "n"
    }

    private func refuses(_ scalar: Unicode.Scalar) -> Bool {
        if !scalar.isASCII { return refusesNonASCII || refusesEmoji && scalar.value > 0xffff }
        return Self.controls(scalar) || refused.unicodeScalars.contains(scalar)
    }

    private static func controls(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7f }

    /// Those where nothing could be tried: names with nothing in them that any server is known to take for something else.
    static let careful = DAVNameRules(
        refused: punctuation, refusedFirst: " .", refusedLast: " .", longest: lengths.last ?? 143)

    /// The same of a name, but for its length.
    static func plain(_ name: String) -> String {
        var rules = careful
        rules.longest = FileName.maximumLength
        return rules.fitted(name)
    }

    /// These rules and those that make a name ``plain(_:)``.
    func refusing(_ name: String) -> DAVNameRules {
        func with(_ known: String, _ more: some Sequence<Unicode.Scalar>, of all: String) -> String {
            var text = known.unicodeScalars
            for scalar in more where all.unicodeScalars.contains(scalar) && !text.contains(scalar) {
                text.append(scalar)
            }
            return String(text)
        }
        var rules = self
        let scalars = name.unicodeScalars
        rules.refused = with(refused, scalars, of: Self.punctuation)
        rules.refusedFirst = with(refusedFirst, scalars.prefix(1), of: Self.careful.refusedFirst)
        rules.refusedLast = with(refusedLast, scalars.suffix(1), of: Self.careful.refusedLast)
        return rules
    }

    /// ASCII characters that mean something in an address, on a disk or in a document, and the others beside them that
    /// are no letter, digit, hyphen, underscore, dot or space.
    static let punctuation = "!\"#$%&'()*+,:;<=>?@[\\]^`{|}~"
    /// Those that file systems and servers are known to have.
    static let lengths = [FileName.maximumLength, 250, 143]
}

/// What of a name is tried by itself.
enum NameTrait: Sendable, Hashable {
    case character(Unicode.Scalar)
    case nonASCII, emoji
    case first(Unicode.Scalar)
    case last(Unicode.Scalar)

    /// All that a name can have at once.
    static let all: [NameTrait] =
        DAVNameRules.punctuation.unicodeScalars.map { .character($0) } + [.nonASCII, .emoji, .first(" "), .last(".")]
    /// Those that leave no room for others of their kind.
    static let single: [NameTrait] = [.first("."), .first("_"), .first("-"), .last(" ")]

    /// What stands for it in a name: what is decoded, or taken for an entity, once too often comes back as another.
    private var sample: String {
        switch self {
        case .character("%"): "%41"
        case .character(";"): "&amp;"
        case .character(let scalar): "\(scalar)"
        case .nonASCII: "\u{e9}e\u{301}\u{5199}"
        case .emoji: "\u{1f305}"
        case .first, .last: ""
        }
    }

    /// A name that has these.
    ///
    /// - Parameter stem: what it begins with, but for what it must begin with.
    static func name(_ traits: [NameTrait], _ stem: String) -> String {
        var (first, last) = ("", "")
        for trait in traits {
            if case .first(let scalar) = trait { first = "\(scalar)" }
            if case .last(let scalar) = trait { last = "\(scalar)" }
        }
        return first + stem + traits.map { $0.sample.isEmpty ? "" : $0.sample + "n" }.joined() + last
    }

    func refuse(in rules: inout DAVNameRules) {
        switch self {
        case .character(let scalar): rules.refused.unicodeScalars.append(scalar)
        case .nonASCII: rules.refusesNonASCII = true
        case .emoji: rules.refusesEmoji = true
        case .first(let scalar): rules.refusedFirst.unicodeScalars.append(scalar)
        case .last(let scalar): rules.refusedLast.unicodeScalars.append(scalar)
        }
    }
}

import TestServers

/// How a service wants to be sent to: what its recipe has to describe, besides its manners.
struct ServiceFeatures: Sendable, Hashable {
    /// In how many requests an item gets there.
    enum Way: String, Sendable, CaseIterable {
        /// One.
        case whole
        /// Media that nobody sees, and a post of it.
        case media
        /// An item without bytes, its bytes, and its publication, which may be asked for again.
        case draft
        /// A session, its pieces, and its end.
        case session
    }

    /// How a repetition is told from another item.
    enum Means: String, Sendable, CaseIterable {
        case nothing, key, look, lookInList
        /// The service keeps the same bytes once.
        case bytes
    }

    /// How a session goes on.
    enum Resume: String, Sendable, CaseIterable { case ask, fromError, saved }

    /// How it says what it made.
    enum Answer: String, Sendable, CaseIterable {
        case json, xml
        /// 201 and `Location`, or 303 and `Location`.
        case location, seeOther
    }

    /// What it says of what it holds.
    enum Telling: String, Sendable, CaseIterable { case nothing, digest, echo, size }

    /// How items get into albums.
    enum Albums: String, Sendable, CaseIterable { case none, listed, madeWithItem, named }

    enum Pages: String, Sendable, CaseIterable { case none, number, token, link }

    var way = Way.whole
    var means = Means.nothing
    var resume = Resume.ask
    var answer = Answer.json
    var telling = Telling.nothing
    var albums = Albums.none
    var pages = Pages.none
    var sendsMultipart = false
    /// It is asked for the bytes' digest before anything is sent.
    var looksBefore = false
    var canRemove = false

    static func drawn(_ numbers: inout SeededNumbers) -> ServiceFeatures {
        var features = ServiceFeatures()
        func one<Word: CaseIterable>(_ kind: Word.Type) -> Word { kind.allCases.randomElement(using: &numbers)! }
        (features.way, features.means, features.resume) = (one(Way.self), one(Means.self), one(Resume.self))
        if Bool.random(using: &numbers) { features.answer = one(Answer.self) }
        features.telling = one(Telling.self)
        if Int.random(in: 0..<3, using: &numbers) == 0 {
            (features.albums, features.pages) = (one(Albums.self), one(Pages.self))
        }
        features.sendsMultipart = .random(using: &numbers)
        features.looksBefore = Int.random(in: 0..<3, using: &numbers) == 0
        features.canRemove = .random(using: &numbers)
        return features
    }

    /// The same with one thing less, in all ways.
    var smaller: [ServiceFeatures] {
        func changed(_ change: (inout ServiceFeatures) -> Void) -> [ServiceFeatures] {
            var features = self
            change(&features)
            return features == self ? [] : [features]
        }
        return changed { $0.albums = .none } + changed { $0.pages = .none } + changed { $0.looksBefore = false }
            + changed { $0.canRemove = false } + changed { $0.sendsMultipart = false }
            + changed { $0.telling = .nothing }
            + changed { $0.answer = .json } + changed { $0.way = .whole } + changed { $0.resume = .ask }
            + changed { if $0.means == .lookInList { $0.means = .look } }
    }

    /// As Swift: what differs from the plainest.
    var text: String {
        let plain = ServiceFeatures()
        var words: [String] = []
        func add<Word: RawRepresentable<String>>(_ name: String, _ word: KeyPath<ServiceFeatures, Word>) {
            if self[keyPath: word].rawValue != plain[keyPath: word].rawValue {
                words.append("\(name): .\(self[keyPath: word].rawValue)")
            }
        }
        add("way", \.way)
        add("means", \.means)
        add("resume", \.resume)
        add("answer", \.answer)
        add("telling", \.telling)
        add("albums", \.albums)
        add("pages", \.pages)
        if sendsMultipart { words.append("sendsMultipart: true") }
        if looksBefore { words.append("looksBefore: true") }
        if canRemove { words.append("canRemove: true") }
        return "ServiceFeatures(\(words.joined(separator: ", ")))"
    }
}

internal import Foundation
public import Submit
public import SubmitEngine
public import SubmitStore
public import SystemPackage

/// One rule of `watch` in the configuration: what comes into a folder, or on a card, goes to these destinations.
public struct WatchRule: Sendable {
    /// What is looked after.
    public enum Place: Sendable, Hashable {
        /// A folder, absolute, and all below it.
        case folder(FilePath)
        /// Camera cards that are put in: one of this name (the last part of where it is mounted), or any.
        case card(name: String?)
    }

    /// What is looked after.
    public var place: Place
    /// Names of destinations.
    public var destinations: [String]
    /// The album at each of them.
    public var album: String?
    /// Which files are meant, but for their age.
    public var filter = SourceFilter()
    /// What each destination gets instead of the original; `nil`: what each of them says.
    public var rendition: RenditionPolicy?
    /// Only files that were changed in this span before they are looked at; `nil`: of any age.
    public var newest: Duration?
    /// Files that are neither photo nor video are taken, too.
    public var takesAnyFile = false
    /// What is hidden is taken, too.
    public var takesHidden = false
    /// Which goes first of what waits.
    public var priority = SendingPriority.normal
    /// When the sources are removed; `nil`: never.
    public var removal: SourceRemoval?
    /// How long a file has to stay as it is.
    public var settling = Duration.seconds(2)
    /// How often a folder is walked of which the system does not tell all.
    public var polling = Duration.seconds(60)
    /// Of a card: its files are deleted when all are safe.
    public var freesCard = false

    /// A rule that takes all photos and videos.
    public init(_ place: Place, to destinations: [String]) {
        self.place = place
        self.destinations = destinations
    }

    /// What is asked for of files that are whole now.
    ///
    /// - Parameter files: below the folder of ``place``, and such as the rules of ``filter`` take.
    public func request(_ files: [FilePath]) -> SubmitRequest {
        var request = SubmitRequest(
            paths: files, destinations: destinations, album: album, takesAnyFile: takesAnyFile, skipsUnchanged: true,
            removal: removal)
        request.filter = filter
        request.priority = priority
        request.rendition = rendition
        // Whoever watches has gone by them: the files are named one by one here.
        request.filter.rules = IgnoreRules()
        request.filter.changedSince = newest.map { Timestamp.now.advanced(by: .zero - $0) }
        // What is none of them lies there and is no mistake of anybody's.
        if !takesAnyFile { request.filter.kinds = filter.kinds ?? [.photo, .video] }
        return request
    }

    /// What is asked for of all that a folder holds now.
    public func request(below folder: FilePath) -> SubmitRequest {
        var request = request([folder])
        // What is being written is there the next time.
        request.filter.rules = IgnoreRules(lines: filter.rules.lines + TemporaryNames.rules.lines)
        let settled = Timestamp.now.advanced(by: .zero - settling)
        request.filter.changedBefore = min(request.filter.changedBefore ?? settled, settled)
        request.reach = FileWalk.Reach(takesHidden: takesHidden)
        return request
    }
}

extension DestinationCatalog {
    /// The rules of `watch` in the configuration.
    ///
    /// - Throws: a failure to give up with, `configuration`, with file and line, for what is no such rule; as
    ///   ``canonicalName(_:)`` for a destination that there is not.
    public func watchRules() throws(SubmitFailure) -> [WatchRule] {
        var rules: [WatchRule] = []
        for rule in file.watch { rules.append(try self.rule(rule)) }
        return rules
    }

    private static let ofCards: Set<String> = ["card", "to", "album", "any_file", "hidden", "free"]

    private func rule(_ written: ConfigurationFile.Rule) throws(SubmitFailure) -> WatchRule {
        func text(_ key: String) -> String? { written.values[key]?.first?.text }
        func refusal(_ key: String, _ what: String) -> SubmitFailure {
            file.complaint(written.values[key]?.first?.line ?? written.line, what)
        }
        func flag(_ key: String) throws(SubmitFailure) -> Bool {
            switch text(key) {
            case nil, "false", "no": return false
            case "true", "yes": return true
            default: throw refusal(key, "“\(key)” is true or false.")
            }
        }
        func value<Value>(_ key: String, _ what: String, _ read: (String) -> Value?) throws(SubmitFailure) -> Value? {
            guard let text = text(key) else { return nil }
            guard let value = read(text) else { throw refusal(key, "“\(text)” is \(what).") }
            return value
        }
        let place: WatchRule.Place
        switch (text("folder"), text("card")) {
        case (let folder?, nil):
            let path = places.expanded(folder)
            guard path.hasPrefix("/") else {
                throw refusal("folder", "“\(folder)” must be a whole path, from “/” or “~” on.")
            }
            place = .folder(FilePath(path).lexicallyNormalized())
        case (nil, let card?): place = .card(name: ["any", "true", "yes"].contains(card) ? nil : card)
        default: throw file.complaint(written.line, "a rule of “watch” has either “folder” or “card”.")
        }
        var names: [String] = []
        for name in written.values["to"] ?? [] {
            names.append(try located(name.line) { () throws(SubmitFailure) in try canonicalName(name.text) })
        }
        if names.isEmpty { names = try defaults() }
        if names.isEmpty { throw file.complaint(written.line, "the rule names no destination: add “to:”.") }
        if case .card = place {
            // They would be left on it, and told nobody.
            for key in written.values.keys.sorted() where !Self.ofCards.contains(key) {
                throw refusal(key, "“\(key)” is for folders: all of a card is taken.")
            }
        }
        var rule = WatchRule(place, to: names)
        rule.album = text("album")
        if let value = written.values["rendition"]?.first {
            rule.rendition = try located(value.line) { () throws(SubmitFailure) in try RenditionPolicy(value.text) }
        }
        rule.priority =
            try value("priority", "no priority: take high, normal or low", SendingPriority.init(rawValue:)) ?? .normal
        if let album = rule.album, PathNames.plain(album) == nil {
            throw refusal("album", "the album “\(album)” is not a name or names with “/” between them.")
        }
        let size = "no size, such as 100k, 5M or 1G"
        rule.filter = SourceFilter(
            rules: IgnoreRules(
                lines: (written.values["include"] ?? []).map { "!" + $0.text }
                    + (written.values["exclude"] ?? []).map(\.text)),
            minSize: try value("min_size", size) { SizeText.bytes(of: $0) },
            maxSize: try value("max_size", size) { SizeText.bytes(of: $0) })
        var kinds: Set<MediaKind> = []
        for kind in written.values["kind"] ?? [] {
            guard let known = MediaKind(rawValue: kind.text) else {
                throw file.complaint(kind.line, "“\(kind.text)” is no kind: take photo, video or other.")
            }
            kinds.insert(known)
        }
        rule.filter.kinds = kinds.isEmpty ? nil : kinds
        let span = "no length of time, such as 90s, 5m or 7d"
        func seconds(_ key: String) throws(SubmitFailure) -> Duration? {
            try value(key, span) { TimeSpanText.seconds($0).map { .seconds($0) } }
        }
        rule.newest = try seconds("newer")
        rule.settling = try seconds("settle") ?? rule.settling
        rule.polling = max(.seconds(1), try seconds("poll") ?? rule.polling)
        rule.takesAnyFile = try flag("any_file")
        rule.takesHidden = try flag("hidden")
        rule.freesCard = try flag("free")
        if let copies = try value("remove_after", "no number of copies", { Int($0).flatMap { $0 > 0 ? $0 : nil } }) {
            let manner = try value("remove_how", "neither trash nor delete") { RemovalManner(rawValue: $0) }
            rule.removal = SourceRemoval(copies: copies, manner: manner ?? .trash)
        }
        return rule
    }
}
